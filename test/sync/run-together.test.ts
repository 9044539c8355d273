import { expect, it } from 'vitest'
import { type DueRun, runTogether } from '../../src/sync/due.ts'

const due: readonly DueRun[] = [
  { resource: 'roles', mode: 'full' },
  { resource: 'api-clients', mode: 'full' },
  { resource: 'users', mode: 'incremental' },
]

it('reads roles when the run of the API clients has ended, however it ended, and everything else at once', async () => {
  for (const outcome of ['resolves', 'rejects']) {
    const begun: string[] = []
    const clients = Promise.withResolvers<string>()
    const all = runTogether(due, async ({ resource }) => {
      begun.push(resource)
      return resource === 'api-clients' ? clients.promise : resource
    })
    const ended = all.catch((error: unknown) => error)
    await new Promise((resolve) => setImmediate(resolve))
    expect(begun).toEqual(['api-clients', 'users'])
    if (outcome === 'resolves') clients.resolve('api-clients')
    else clients.reject('no clients')
    expect(await ended).toEqual(outcome === 'resolves' ? ['roles', 'api-clients', 'users'] : 'no clients')
    expect(begun).toEqual(['api-clients', 'users', 'roles'])
  }
})

it('waits for no run that is not due', async () => {
  const begun: string[] = []
  await runTogether(due.slice(0, 1), async ({ resource }) => void begun.push(resource))
  expect(begun).toEqual(['roles'])
})
