import { expect, it } from 'vitest'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { hourMs } from '../../src/model/time.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ofData } from '../support/of-data.ts'
import { accept, ending, heldBack, theHold } from '../support/sync-queries.ts'

const path = '/api/public/documents'

/** A tenant with so many records of each list, none of them malformed, that were fully read once. */
async function tenant(): Promise<TestEngine> {
  const test = await testEngine({
    problems: false,
    sizes: { users: 12, documents: 12, apiClients: 12, roles: 3 },
    settings: { userDetails: { perRun: 0 } },
  })
  await test.runAll('full')
  return test
}

async function sync(test: TestEngine, resource: ResourceName) {
  test.clock.advance(hourMs)
  test.sim.requests.clear()
  return test.run(resource, 'full')
}

const quarantined = (test: TestEngine) =>
  test.query('select key from quarantine order by resource, key').map(({ key }) => key)

const addClient = ({ sim }: TestEngine) =>
  sim.primary['api-clients'].add({ raw: { secretExpirationDate: 'soon' } }).clientId
const addDocument = ({ sim }: TestEngine) =>
  sim.primary.documents.add({ createdAt: 0, updatedAt: 0, raw: { createdAt: 'yesterday' } }).fileId

it('clients that were never readable count in the shrink guard, and an operator accepts their removal', async () => {
  const test = await tenant()
  const ids = [1, 2, 3, 4, 5, 6].map(() => addClient(test))
  await sync(test, 'api-clients')
  for (const id of ids) test.sim.primary['api-clients'].remove(id)
  await sync(test, 'api-clients')
  for (const _ of [1, 2]) expect(ending(await sync(test, 'api-clients'))).toBe('shrink_held')
  expect(await heldBack(test)).toEqual(['api-clients shrink_held 6'])
  expect((await theHold(test)).message).toMatch(/^6 of \d+ api-clients are missing/)
  expect(quarantined(test)).toHaveLength(6)
  await accept(test, await theHold(test))
  expect(ending(await sync(test, 'api-clients'))).toBe('success')
  expect(quarantined(test)).toEqual([])
  expect(await heldBack(test)).toEqual([])
  expect(test.query('select * from accepted_removals')).toEqual([])
})

it('a document that was never readable is removed only after a request by time that lacks it', async () => {
  const test = await tenant()
  const id = addDocument(test)
  await sync(test, 'documents')
  test.sim.faults.add({
    path,
    effect: ofData((data: { readonly fileId: string }[]) => data.filter(({ fileId }) => fileId !== id)),
  })
  test.sim.onRequest(({ query }) => {
    if ('updatedAfter' in query) test.sim.faults.clear()
  })
  await sync(test, 'documents')
  expect(await sync(test, 'documents')).toMatchObject({ outcome: 'success' })
  expect(quarantined(test)).toEqual([id])
  test.sim.primary.documents.remove(id)
  await sync(test, 'documents')
  expect(quarantined(test)).toEqual([id])
  await sync(test, 'documents')
  expect(quarantined(test)).toEqual([])
})

it.each([
  ['denies', 404, 0],
  ['cannot be asked for', 500, 1],
] as const)('a user that was never readable and that the tenant %s (%i)', async (_what, status, left) => {
  const test = await tenant()
  const { userId } = test.sim.primary.users.add({ raw: { mfaAction: 'no' } })
  await sync(test, 'users')
  test.sim.primary.users.remove(userId)
  if (status !== 404) test.sim.faults.add({ path: `/api/public/users/${userId}`, effect: { kind: 'status', status } })
  await sync(test, 'users')
  expect(test.sim.requests.filter(({ path: asked }) => asked.endsWith(`/users/${userId}`)).length).toBeGreaterThan(0)
  expect(quarantined(test)).toHaveLength(left)
})

it('a record that may be the one without a readable id is uncertain until it is shown again', async () => {
  const test = await tenant()
  const { tenantId } = test.engine
  const { primary } = test.sim
  const first = <T>(records: Iterable<T>) => [...records][0] ?? expect.fail('no record')
  const hidden = [
    ['users', 'userId', first(primary.users.all()).userId],
    ['roles', 'roleId', first(primary.roles.all()).roleId],
    ['permissions', 'permissionId', first(primary.permissions.all()).permissionId],
    ['api-clients', 'clientId', first(primary['api-clients'].all()).clientId],
    ['documents', 'fileId', first(primary.documents.all()).fileId],
  ] as const
  const uncertain = () =>
    Promise.all(
      hidden.map(async ([name, , id]) => {
        const presence = await test.mirror.presence(tenantId, name, [String(id).toLowerCase()])
        return presence.get(String(id).toLowerCase()) === 'uncertain'
      }),
    )
  for (const [resource, idField, id] of hidden) {
    const hide = (record: Readonly<Record<string, unknown>>) =>
      record[idField] === id ? { ...record, [idField]: null } : record
    test.sim.faults.add({
      path: `/api/public/${resource}`,
      effect: ofData((data: Readonly<Record<string, unknown>>[]) => data.map(hide)),
    })
    await sync(test, resource)
  }
  expect(await uncertain()).toEqual(hidden.map(() => true))
  test.sim.faults.clear()
  for (const [resource] of hidden) await sync(test, resource)
  expect(await uncertain()).toEqual(hidden.map(() => false))
})

it.each(['roles', 'documents'] as const)(
  'nothing of %s but a former record without a readable id leaves quarantine by a full sync that shows one',
  async (resource) => {
    const test = await tenant()
    const known = [...test.sim.primary.documents.all()][0]?.fileId ?? ''
    const id = resource === 'roles' ? test.sim.primary.roles.add({ raw: { state: 5 } }).roleId : known
    test.sim.primary.documents.update(known, { raw: { createdAt: 'yesterday' } })
    await sync(test, resource)
    if (resource === 'roles') test.sim.primary.roles.remove(Number(id))
    else test.sim.primary.documents.remove(String(id))
    const idField = resource === 'roles' ? 'roleId' : 'fileId'
    for (const n of [1, 2, 3]) {
      test.sim.faults.clear()
      test.sim.faults.add({
        path: `/api/public/${resource}`,
        effect: ofData((data: object[]) => [...data, { [idField]: null, n }]),
      })
      await sync(test, resource)
    }
    expect(quarantined(test)).toContain(String(id))
    expect(quarantined(test).filter((key) => String(key).startsWith('?'))).toHaveLength(1)
  },
)
