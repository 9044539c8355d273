import { expect, it } from 'vitest'
import { testEngine } from '../support/engine.ts'
import { accept, ending, heldBack, live, theHold } from '../support/trust.ts'

const settings = { userDetails: { perRun: 0 } }

it.each(['users', 'api-clients'] as const)(
  'an empty list of roles while live %s carry a role name is suspect_empty and removes none',
  async (witness) => {
    const test = await testEngine({ settings })
    await test.run('roles')
    await test.run(witness, 'sweep')
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
  const test = await testEngine({ settings })
  await test.run('roles')
  test.sim.primary.removeRoles(1)
  expect(ending(await test.run('roles'))).toBe('success')
  expect(live(test, 'roles')).toBe(0)
})

it('accepting makes the empty roles the truth with the very next run', async () => {
  const test = await testEngine({ settings })
  await test.runAll('sweep')
  const fault = test.sim.faults.add({ path: '/api/public/roles', effect: { kind: 'empty' } })
  await test.run('roles')
  await accept(test, await theHold(test))
  expect(ending(await test.run('roles'))).toBe('success')
  expect(live(test, 'roles')).toBe(0)
  expect(ending(await test.run('roles'))).toBe('success')
  test.sim.faults.remove(fault.id)
  await test.run('roles')
  expect(live(test, 'roles')).toBe(test.sim.state().roles().length)
  test.sim.faults.add({ path: '/api/public/roles', effect: { kind: 'empty' } })
  expect(ending(await test.run('roles'))).toBe('suspect_empty')
})

it('an empty catalog of permissions is the truth at once', async () => {
  const test = await testEngine({ settings })
  await test.runAll('sweep')
  test.sim.faults.add({ path: '/api/public/permissions', effect: { kind: 'empty' } })
  expect(ending(await test.run('permissions'))).toBe('success')
  expect(live(test, 'permissions')).toBe(0)
})

it.each(['roles', 'permissions'] as const)('a failing list of %s removes nothing', async (resource) => {
  const test = await testEngine({ settings })
  await test.runAll('sweep')
  const before = live(test, resource)
  test.sim.faults.add({ path: `/api/public/${resource}`, effect: { kind: 'status', status: 500 } })
  expect(ending(await test.run(resource))).toBe('server_error')
  expect(live(test, resource)).toBe(before)
})

it.each(['users', 'documents'] as const)('an empty list of %s is held, not believed', async (resource) => {
  const test = await testEngine({ settings })
  await test.run('api-clients')
  await test.run(resource, 'sweep')
  const before = live(test, resource)
  test.sim.faults.add({ path: `/api/public/${resource}`, effect: { kind: 'empty' } })
  for (let n = 0; n < 2; n++) await test.run(resource, 'sweep')
  expect(await heldBack(test)).toEqual([`${resource} shrink_held ${before}`])
  expect(live(test, resource)).toBe(before)
})
