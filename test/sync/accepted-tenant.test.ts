import { expect, it } from 'vitest'
import { apiClientSecretNotExpired } from '../../src/checks/api-client-secret-not-expired.ts'
import { userRoleActive } from '../../src/checks/user-role-active.ts'
import { evaluateTenant } from '../../src/evaluate/evaluate-tenant.ts'
import { silentLog } from '../../src/model/log.ts'
import { minuteMs } from '../../src/model/time.ts'
import { scriptedResources } from '../support/engine.ts'
import { accept, ending, live, theHold } from '../support/sync-queries.ts'
import { client, document, mirrored, role, type Scene, user } from './support/two-tenants.ts'

const ofA = {
  users: [user(1), user(2), user(3)],
  clients: [client(1, { secretExpirationDate: '2026-03-01T12:10:00Z' })],
  documents: [document(1)],
}
const ofB = {
  users: [user(50, { roleName: 'Role 7' }), user(3, { roleName: 'Role 7' })],
  clients: [client(2, { roleName: 'Role 7' })],
  documents: [document(2)],
  roles: [role(7)],
}

/** A mirror of tenant A, on hold because B answers. */
async function held(confirmPerRun = 1000): Promise<Scene> {
  const scene = await mirrored(ofA, ofB, { removals: { confirmPerRun } })
  const { test, server } = scene
  expect(await evaluated(scene)).toEqual({ status: 'pass', reason: null, findings: [] })
  server.choose(() => server.b)
  test.useToken('second')
  expect(ending(await test.run('roles'))).toBe('tenant_changed')
  return scene
}

/** An operator has accepted B; nothing of it was read yet. */
async function accepted(confirmPerRun?: number): Promise<Scene> {
  const scene = await held(confirmPerRun)
  await accept(scene.test, await theHold(scene.test))
  return scene
}

/** The result of a check that joins users and roles, and every finding it ever had. */
async function evaluated(
  { test }: Scene,
  check: typeof userRoleActive | typeof apiClientSecretNotExpired = userRoleActive,
) {
  const { mirror, settings, clock } = test
  const of = { id: test.engine.tenantId, settings }
  const request = { store: mirror, tenant: of, checks: [check], now: clock.now(), log: silentLog() }
  await Array.fromAsync(evaluateTenant(request))
  const state = (await mirror.checkStates(of.id)).find((one) => one.check === check.id)
  const findings = test.query('select entity_id as entity, resolution from findings where "check" = ?', check.id)
  return { status: state?.status, reason: state?.reason, findings }
}

const untrusted = { status: 'unknown', reason: 'tenant_changed', findings: [] }
/** Without those that the scripted server lacks. */
const formerOf = async ({ test }: Pick<Scene, 'test'>) => {
  const { former } = await test.mirror.tenant(test.engine.tenantId)
  return former.filter((name) => scriptedResources.some((one) => one === name))
}

it.each(['roles', 'users'] as const)(
  'evaluates nobody by two tenants when %s of the accepted one come first',
  async (first) => {
    const scene = await accepted()
    const { test } = scene
    expect(await evaluated(scene)).toEqual(untrusted)
    expect(ending(await test.run(first, 'full'))).toBe('success')
    expect(await evaluated(scene)).toEqual(untrusted)
    for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')
    expect(await evaluated(scene)).toEqual({ status: 'pass', reason: null, findings: [] })
    expect(await formerOf(scene)).toEqual([])
  },
)

it('trusts no users before the last of the former tenant is removed', async () => {
  const scene = await accepted(1)
  const { test } = scene
  await test.runAll('full')
  expect(live(test, 'users')).toBe(3)
  expect(await evaluated(scene)).toEqual(untrusted)
  await test.run('users', 'full')
  expect(live(test, 'users')).toBe(2)
  expect(await evaluated(scene)).toEqual({ status: 'pass', reason: null, findings: [] })
})

it('does not await a list that was switched off before it was read', async () => {
  const { test, server } = await accepted()
  server.b.roles = [role(7), role(8)]
  await test.run('roles')
  await test.restart({ resources: { documents: { enabled: false } } })
  for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')
  server.b.roles = [role(70), role(80)]
  expect(ending(await test.run('roles'))).toBe('suspect_empty')
})

it('opens findings by time alone while the tenant is on hold, and none of the former tenant once another is accepted', async () => {
  const scene = await held()
  scene.test.clock.advance(10 * minuteMs)
  expect((await evaluated(scene, apiClientSecretNotExpired)).findings).toHaveLength(1)
  const other = await accepted()
  await other.test.run('roles')
  other.test.clock.advance(10 * minuteMs)
  expect(await evaluated(other, apiClientSecretNotExpired)).toEqual(untrusted)
})

const third = { clients: [client(3)], documents: [document(3)], users: [user(70)], roles: [role(8)] }

it.each([false, true])(
  'an acceptance covers no third tenant that answers to the same token (restart: %s)',
  async (again) => {
    const { test, server } = await held()
    const hold = await theHold(test)
    await accept(test, hold)
    server.choose(() => ({ ...server.b, ...third }))
    if (again) await test.restart()
    expect(ending(await test.run('roles'))).toBe('tenant_changed')
    expect((await theHold(test)).id).not.toBe(hold.id)
    expect(test.query('select role_id from roles where role_id > 6')).toEqual([])
    expect(test.query('select * from accepted_removals')).toEqual([])
    await accept(test, await theHold(test))
    for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')
    expect(test.query('select client_id as id from api_clients where removed_at is null')).toHaveLength(1)
  },
)

it('an accepted tenant is taken over although every third answer changes the letter case of its GUIDs', async () => {
  const { test, server } = await held()
  const letters = (n: number) => `abcdefab-cdef-4abc-8def-${String(n).padStart(12, 'a')}`
  let answers = 0
  server.choose(() => {
    const of = (n: number) => (answers++ % 6 < 3 ? letters(n) : letters(n).toUpperCase())
    return { ...server.b, clients: [client(2, { clientId: of(1) })], documents: [document(2, { fileId: of(2) })] }
  })
  for (let n = 0; n < 4; n++) {
    test.clock.advance(60 * minuteMs)
    await test.run('roles')
  }
  await accept(test, await theHold(test))
  for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')
  expect(live(test, 'api-clients')).toBe(1)
})
