import { expect, it } from 'vitest'
import { anonymous, identifying } from '../support/descriptors.ts'
import { comparable } from '../support/engine.ts'
import { accept, ending, heldBack, synced, theHold } from '../support/sync-queries.ts'

it('accepting lets the other tenant in until each resource was read in full, and covers all ids known then', async () => {
  const test = await synced({ sizes: { users: 60, documents: 60 } })
  test.useToken(test.sim.tokens.secondReader)
  await test.run('users', 'incremental')
  await accept(test, await theHold(test))
  const results = await test.runAll()
  expect(results.map(ending)).toEqual(results.map(() => 'success'))
  expect(await heldBack(test)).toEqual([])
  expect((await test.mirror.tenant(test.engine.tenantId)).changeAccepted).toBeNull()
  for (const resource of ['users', 'documents', 'api-clients', 'roles', 'permissions'] as const) {
    const truth = comparable(resource, [...test.sim.state('second').records(resource)] as object[])
    const mirrored = comparable(resource, await test.exported(resource))
    const plain = (records: Record<string, unknown>[]) => records.map(({ roleId: _, ...record }) => record)
    expect(resource === 'users' ? plain(mirrored) : mirrored).toEqual(resource === 'users' ? plain(truth) : truth)
  }
  test.sim.second.removeUsers(0.5)
  expect(ending(await test.run('users', 'full'))).toBe('shrink_held')
})

it('an acceptance lasts until one complete full sync of each readable resource, over restarts', async () => {
  const test = await synced()
  test.sim.revokePermission('secondReader', 'Api_Documents_Read')
  test.useToken(test.sim.tokens.secondReader)
  await test.run('users', 'full')
  await accept(test, await theHold(test))
  const left = async () => (await test.mirror.tenant(test.engine.tenantId)).changeAccepted
  expect(ending(await test.run('roles'))).toBe('success')
  await test.restart()
  for (const { name } of anonymous) if (name !== 'roles') expect(ending(await test.run(name))).toBe('success')
  const readable = identifying.map(({ name }) => name)
  expect(await left()).toEqual(readable)
  for (const name of readable) if (name !== 'documents') expect(ending(await test.run(name, 'full'))).toBe('success')
  expect(await left()).toEqual(['documents'])
  expect(ending(await test.run('documents', 'full'))).toBe('missing_permission')
  expect(await left()).toBeNull()
})
