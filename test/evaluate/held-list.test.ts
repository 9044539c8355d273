import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/durations.ts'
import type { FindingView } from '../../src/model/finding.ts'
import { synced } from '../commands/support/cli.ts'

it('ends no finding by a list whose removals are held, and does so once they are decided', async () => {
  const { run, simulator, pass } = await synced({ simulator: { sizes: { users: 60 } } })
  const { primary } = simulator
  const users = [...simulator.state().users()]
  const [enrolled] = users.filter(({ mfaStatus, state }) => !mfaStatus && state === 'Active').slice(-1)
  for (const { userId } of users.slice(0, 40)) if (userId !== enrolled?.userId) primary.removeUser(userId)
  primary.updateUser(enrolled?.userId ?? 0, { mfaStatus: true })
  const fullSync = async () => {
    pass(minuteMs)
    await run('sync', '--full')
    const { stdout } = await run('findings', '--all', '--check', 'user-mfa-enrolled', '--format', 'json')
    const found = (JSON.parse(stdout) as FindingView[]).find(({ entity }) => entity.id === String(enrolled?.userId))
    return `${found?.state} ${found?.resolution}`
  }
  expect([await fullSync(), await fullSync()]).toEqual(['open null', 'open null'])
  const [{ id }] = JSON.parse((await run('accept', '--format', 'json')).stdout)
  await run('accept', id, '--reason', 'Left with the spin-off')
  expect(await fullSync()).toBe('resolved fixed')
})
