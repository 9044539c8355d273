import { expect, it } from 'vitest'
import type { Envelope } from '../../src/simulator/index.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { accept, ending, heldBack, live, theHold } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }

it.each(['users', 'api-clients'] as const)(
  'an empty list of roles while live %s carry a role name is suspect_empty and removes none',
  async (shownBy) => {
    const test = await testEngine({ settings })
    await test.run('roles')
    await test.run(shownBy, 'full')
    const before = live(test, 'roles')
    const fault = test.sim.faults.add({ path: '/api/public/roles', effect: { kind: 'empty' } })
    const result = await test.run('roles')
    expect([result.outcome, result.reason]).toEqual(['failure', 'suspect_empty'])
    expect(live(test, 'roles')).toBe(before)
    expect(await heldBack(test)).toEqual([`roles suspect_empty ${before}`])
    const { id } = await theHold(test)
    await test.run('roles')
    expect((await theHold(test)).id).toBe(id)
    test.sim.faults.remove(fault.id)
    expect(ending(await test.run('roles'))).toBe('success')
    expect(await heldBack(test)).toEqual([])
  },
)

it('an empty list of roles is real where nobody carries a role name', async () => {
  const test = await testEngine({ settings, sizes: { users: 3 } })
  await test.run('roles')
  for (const { userId } of test.sim.primary.users.all())
    test.sim.primary.users.update(userId, { raw: { roleName: null } })
  await test.run('users', 'full')
  expect(live(test, 'users')).toBe(3)
  test.sim.primary.roles.removeWhere(1)
  expect(ending(await test.run('roles'))).toBe('success')
  expect(live(test, 'roles')).toBe(0)
})

it('an empty catalog of permissions is the truth at once', async () => {
  const test = await testEngine({ settings })
  await test.runAll('full')
  test.sim.faults.add({ path: '/api/public/permissions', effect: { kind: 'empty' } })
  expect(ending(await test.run('permissions'))).toBe('success')
  expect(live(test, 'permissions')).toBe(0)
})

const withoutPermissions = {
  kind: 'transform',
  transform: (envelope: Envelope) => emptied(envelope, () => true),
} as const

/** The roles with the permissions of some taken away. */
function emptied(envelope: Envelope, which: (role: { readonly roleId: number }) => boolean) {
  const data = envelope.data as { readonly roleId: number; readonly permissions: readonly unknown[] }[]
  return { ...envelope, data: data.map((role) => (which(role) ? { ...role, permissions: [] } : role)) }
}

const granting = (test: TestEngine) => test.query("select 1 from roles where permissions <> '[]'").length

it('roles of which none grants anything any more are suspect_empty and are not written', async () => {
  const test = await testEngine({ settings })
  await test.run('roles')
  const before = granting(test)
  const fault = test.sim.faults.add({ path: '/api/public/roles', effect: withoutPermissions })
  for (let n = 0; n < 2; n++) {
    expect(ending(await test.run('roles'))).toBe('suspect_empty')
    expect(await heldBack(test)).toEqual([`roles suspect_empty ${before}`])
  }
  expect(granting(test)).toBe(before)
  await accept(test, await theHold(test))
  expect(ending(await test.run('roles'))).toBe('success')
  expect([granting(test), await heldBack(test)]).toEqual([0, []])
  expect(ending(await test.run('roles'))).toBe('success')
  test.sim.faults.remove(fault.id)
  await test.run('roles')
  test.sim.faults.add({ path: '/api/public/roles', effect: withoutPermissions })
  expect(ending(await test.run('roles'))).toBe('suspect_empty')
})

it.each([true, false])(
  'the role of the own client cannot lose the permission by which it was read, configured: %s',
  async (configured) => {
    const test = await testEngine({ settings })
    await test.runAll('full')
    const [own] = test.query("select client_id, role_name from api_clients where name = 'Compliance monitor'")
    await test.restart({ ownClientId: configured ? String(own?.['client_id']) : null })
    await test.runAll('full')
    const roleName = String(own?.['role_name'])
    const [role] = test.query('select role_id, permissions from roles where name = ?', roleName)
    expect(role?.['permissions']).toContain('Api_Roles_Read')
    const transform = (envelope: Envelope) => emptied(envelope, ({ roleId }) => roleId === role?.['role_id'])
    const fault = test.sim.faults.add({ path: '/api/public/roles', effect: { kind: 'transform', transform } })
    expect(ending(await test.run('roles'))).toBe(configured ? 'suspect_empty' : 'success')
    expect(await heldBack(test)).toEqual(configured ? ['roles suspect_empty 1'] : [])
    if (!configured) return
    test.sim.faults.remove(fault.id)
    expect(ending(await test.run('roles'))).toBe('success')
    expect(await heldBack(test)).toEqual([])
  },
)

it('the first list of roles is suspect_empty, too, if no role grants anything, for one must grant the reading', async () => {
  const test = await testEngine({ settings })
  const fault = test.sim.faults.add({ path: '/api/public/roles', effect: withoutPermissions })
  for (let n = 0; n < 2; n++) expect(ending(await test.run('roles'))).toBe('suspect_empty')
  expect(live(test, 'roles')).toBe(0)
  await accept(test, await theHold(test))
  expect(ending(await test.run('roles'))).toBe('success')
  test.sim.faults.remove(fault.id)
  expect(ending(await test.run('roles'))).toBe('success')
  expect(await heldBack(test)).toEqual([])
})

it('a list with none of several known roles is suspect_empty, and replaces them all once it is accepted', async () => {
  const test = await testEngine({ settings })
  await test.runAll('full')
  const before = live(test, 'roles')
  const renumbered = (envelope: Envelope) => {
    const data = envelope.data as { readonly roleId: number }[]
    return { ...envelope, data: data.map((role) => ({ ...role, roleId: role.roleId + 1000 })) }
  }
  test.sim.faults.add({ path: '/api/public/roles', effect: { kind: 'transform', transform: renumbered } })
  expect(ending(await test.run('roles'))).toBe('suspect_empty')
  expect([live(test, 'roles'), await heldBack(test)]).toEqual([before, [`roles suspect_empty ${before}`]])
  await accept(test, await theHold(test))
  for (const effect of [{ kind: 'empty' }, withoutPermissions] as const) {
    const fault = test.sim.faults.add({ path: '/api/public/roles', effect })
    expect([ending(await test.run('roles')), live(test, 'roles')]).toEqual(['suspect_empty', before])
    test.sim.faults.remove(fault.id)
  }
  for (let n = 0; n < 2; n++) expect(ending(await test.run('roles'))).toBe('success')
  expect([live(test, 'roles'), await heldBack(test)]).toEqual([before, []])
  expect(test.query('select 1 from roles where role_id < 1000 and removed_at is null')).toEqual([])
})
