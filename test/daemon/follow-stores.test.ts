import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { reloadable } from '../commands/support/reloading.ts'

/** A session whose evaluator is busy with another tenant. */
async function busyWorld() {
  const world = await reloadable()
  const turn = Promise.withResolvers<void>()
  onTestFinished(() => turn.resolve())
  const { session } = world
  const { inForce } = session.evaluator
  const waiting = vi.spyOn(session.evaluator, 'inForce').mockImplementation(async (settings) => {
    await turn.promise
    await inForce(settings)
  })
  return { ...world, waiting, turn, closed: vi.spyOn(session.evaluator, 'closeRemoved') }
}

it('gives tenants back while the evaluator is busy, and closes the findings of removed ones later', async () => {
  const { session, turn, closed } = await busyWorld()
  const { change } = await session.followStores()
  expect(change).toEqual({ added: [], changed: [], removed: [] })
  expect(closed).not.toHaveBeenCalled()
  // What changes meanwhile owes a round of its own.
  await session.followStores()
  turn.resolve()
  await session.evaluate()
  expect(closed).toHaveBeenCalledTimes(2)
  await session.evaluate()
  expect(closed).toHaveBeenCalledTimes(2)
})

it('ends a run of a tenant that waits behind the evaluator', async () => {
  const { session, turn, waiting } = await busyWorld()
  const [tenant] = session.tenants
  if (tenant === undefined) throw new Error('No tenant')
  await session.followStores()
  const engineRun = vi.spyOn(tenant.engine, 'run')
  const { signal } = new AbortController()
  const run = tenant.scope.run(signal, async (ending) => {
    await session.syncAndEvaluate(tenant, { resource: 'roles', mode: 'full', signal: ending })
  })
  while (engineRun.mock.settledResults[0]?.type !== 'fulfilled') await nextTurn()
  for (let turns = 0; turns < 50; turns++) await nextTurn()
  await tenant.scope.end()
  await run
  expect(waiting).toHaveBeenCalledTimes(1)
  turn.resolve()
})

it('closes the findings of removed tenants before the session ends, and logs a failure', async () => {
  const { session, turn, closed, logged } = await busyWorld()
  closed.mockRejectedValueOnce(new Error('no room'))
  await session.followStores()
  const events: string[] = []
  const ended = session[Symbol.asyncDispose]().then(() => void events.push('ended'))
  for (let turns = 0; turns < 50; turns++) await nextTurn()
  events.push(`failures ${logged('Findings not closed yet').length}`)
  turn.resolve()
  await ended
  expect(events).toEqual(['failures 0', 'ended'])
  expect(logged('Findings not closed yet')).toMatchObject([{ detail: 'Error: no room' }])
})
