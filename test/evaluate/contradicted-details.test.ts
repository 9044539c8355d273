import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/durations.ts'
import type { FindingView } from '../../src/model/finding.ts'
import { synced } from '../commands/support/cli.ts'

const options = 'checks: { user-least-privilege: { enabled: true, allowed: [Api_Users_Read] } }'

/** A tenant in which user `promoted` has a role that grants too much, as its details say and the list does not. */
async function world() {
  const one = await synced({ simulator: { problems: false, sizes: { users: 4, documents: 2 } }, more: options })
  const { primary } = one.simulator
  const [weak, strong] = [['Api_Users_Read'], ['Api_Users_Create']].map((permissions, i) =>
    primary.addRole({ name: `Role ${i}`, permissions }),
  )
  const users = [...one.simulator.state().users()].map(({ userId }) => userId)
  for (const userId of users)
    primary.updateUser(userId, {
      roleId: weak?.roleId ?? 0,
      roleName: weak?.name ?? '',
      state: 'Active',
      mfaStatus: true,
    })
  const fullSync = async () => {
    one.pass(2 * hourMs)
    return one.run('sync', '--full')
  }
  await fullSync()
  const status = async (check: string) => {
    const { stdout } = await one.run('metrics')
    return new RegExp(`tenantwatch_check_status\\{tenant="acme",check="${check}",status="(\\w+)"\\} 1`).exec(
      stdout,
    )?.[1]
  }
  const findings = async (check: string): Promise<FindingView[]> => {
    const { stdout } = await one.run('findings', '--all', '--check', check, '--format', 'json')
    return JSON.parse(stdout).filter(({ entity }: FindingView) => entity.id === String(users[0]))
  }
  /** Answers of the list or by id with other values for one user. */
  const reshape = (path: string, userId: number, patch: object) => {
    const changed = (record: { userId?: number }) => (record.userId === userId ? { ...record, ...patch } : record)
    const transform = ({ data, ...envelope }: { readonly data?: unknown }) => ({
      ...envelope,
      data: Array.isArray(data) ? data.map(changed) : changed(data as object),
    })
    return one.simulator.faults.add({ path, effect: { kind: 'transform', transform } })
  }
  return { ...one, primary, weak, strong, users, fullSync, status, findings, reshape }
}

it('passes no check over users while the details of one contradict the list, and resolves no finding about that user', async () => {
  const { primary, users, strong, weak, fullSync, status, findings, reshape, simulator } = await world()
  const check = 'user-least-privilege'
  expect(await status(check)).toBe('pass')
  const [promoted = 0] = users
  const lag = reshape('/api/public/users', promoted, { roleName: weak?.name })
  primary.updateUser(promoted, { roleId: strong?.roleId ?? 0, roleName: strong?.name ?? '' })
  for (const _ of [1, 2, 3]) {
    await fullSync()
    expect([await status(check), await status('user-mfa-enrolled')]).toEqual(['unknown', 'unknown'])
  }
  simulator.faults.remove(lag.id)
  await fullSync()
  expect(await status(check)).toBe('fail')
  expect((await findings(check)).map(({ entity, state }) => [entity.id, state])).toEqual([[String(promoted), 'open']])
  const again = reshape('/api/public/users', promoted, { roleName: weak?.name })
  for (const _ of [1, 2]) await fullSync()
  expect((await findings(check)).map(({ state }) => state)).toEqual(['open'])
  simulator.faults.remove(again.id)
  primary.updateUser(promoted, { roleId: weak?.roleId ?? 0, roleName: weak?.name ?? '' })
  await fullSync()
  expect((await findings(check)).map(({ state, resolution }) => [state, resolution])).toEqual([['resolved', 'fixed']])
  expect(await status(check)).toBe('pass')
})

it.each([
  ['user-mfa-enrolled', { mfaStatus: false }, { mfaStatus: true }, 'pass'],
  [
    'user-invitation-accepted',
    { state: 'Invited', createdAt: '2026-01-01T00:00:00Z' },
    { state: 'Active' },
    'not_applicable',
  ],
] as const)('resolves no finding of %s that the answer by id still shows', async (check, bad, good, ended) => {
  const { primary, users, fullSync, status, findings, reshape, simulator } = await world()
  const [user = 0] = users
  primary.updateUser(user, bad)
  await fullSync()
  expect(await status(check)).toBe('fail')
  const { id } = reshape('/api/public/users', user, good)
  for (const _ of [1, 2]) await fullSync()
  expect((await findings(check)).map(({ state }) => state)).toEqual(['open'])
  expect(await status(check)).not.toBe(ended)
  simulator.faults.remove(id)
  primary.updateUser(user, good)
  await fullSync()
  expect(await status(check)).toBe(ended)
})
