import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/time.ts'
import { type TestEngine, type TestEngineOptions, testEngine } from '../support/engine.ts'
import { ofData } from '../support/of-data.ts'
import { live } from '../support/sync-queries.ts'

const tenant: TestEngineOptions = { problems: false, sizes: { users: 12, documents: 12, apiClients: 14, roles: 9 } }

async function fullySynced(options: TestEngineOptions = {}): Promise<TestEngine> {
  const test = await testEngine({ ...tenant, ...options, settings: { userDetails: { perRun: 0 } } })
  await test.runAll('full')
  test.clock.advance(hourMs)
  return test
}

const held = (test: TestEngine) => test.query('select resource, key, problem from quarantine order by resource, key')

it('quarantines invalid records raw with the reason, and mirrors the rest of the page', async () => {
  const test = await testEngine({ ...tenant, settings: { userDetails: { perRun: 0 } } })
  const { primary } = test.sim
  const [user, other] = [...primary.users.all()]
  const [document] = [...primary.documents.all()]
  const [client] = [...primary['api-clients'].all()]
  const [role] = primary.roles.all()
  primary.users.update(user?.userId ?? 0, { raw: { mfaStatus: 'true' } })
  primary.users.update(other?.userId ?? 0, { raw: { createdAt: '2025-02-30T00:00:00Z' } })
  primary.documents.update(document?.fileId ?? '', { raw: { uploadStatus: 7 } })
  primary['api-clients'].update(client?.clientId ?? '', { raw: { secretExpirationDate: 'soon' } })
  primary.roles.update(role?.roleId ?? 0, { raw: { permissions: null } })
  const results = await test.runAll('full')
  expect(results.map(({ outcome }) => outcome)).toEqual(test.engine.resources.map(() => 'success'))
  expect(held(test)).toEqual([
    { resource: 'api-clients', key: client?.clientId, problem: expect.stringMatching(/^secretExpirationDate/) },
    { resource: 'documents', key: document?.fileId, problem: expect.stringMatching(/^uploadStatus/) },
    { resource: 'roles', key: `${role?.roleId}`, problem: expect.stringMatching(/^permissions/) },
    { resource: 'users', key: `${user?.userId}`, problem: expect.stringMatching(/^mfaStatus/) },
    { resource: 'users', key: `${other?.userId}`, problem: expect.stringMatching(/^createdAt/) },
  ])
  const counts = [live(test, 'users'), live(test, 'documents'), live(test, 'roles')]
  expect(counts).toEqual([10, 11, primary.roles.all().length - 1])
  const raw = test.query("select raw from quarantine where resource = 'users' order by key")[0]?.['raw']
  expect(JSON.parse(String(raw))).toMatchObject({ userId: user?.userId, mfaStatus: 'true' })
})

it('releases a record that a later full sync returns well, and one that two full syncs lack, and by no incremental sync', async () => {
  const test = await fullySynced()
  const { primary } = test.sim
  const [healed, gone] = [1, 2].map((n) => primary.documents.add({ filename: `${n}`, raw: { createdAt: n } }).fileId)
  await test.run('documents', 'incremental')
  expect(held(test)).toHaveLength(2)
  primary.documents.update(healed ?? '', { raw: { createdAt: '2026-01-01T00:00:00Z' } })
  primary.documents.remove(gone ?? '')
  primary.documents.add({ uploadStatus: 'Completed' })
  await test.run('documents', 'incremental')
  expect(held(test)).toHaveLength(2)
  await test.run('documents', 'full')
  expect(held(test)).toMatchObject([{ key: gone }])
  expect(live(test, 'documents')).toBe(14)
  await test.run('documents', 'full')
  expect(held(test)).toEqual([])
})

it('removes nothing by a full sync that showed a record without a readable id, and removes it by the next', async () => {
  for (const resource of ['users', 'documents', 'roles'] as const) {
    const test = await fullySynced()
    const { primary } = test.sim
    const idField = { users: 'userId', documents: 'fileId', roles: 'roleId' }[resource]
    const gone = {
      users: () => primary.users.remove([...primary.users.all()][0]?.userId ?? 0),
      documents: () => primary.documents.remove([...primary.documents.all()][0]?.fileId ?? ''),
      roles: () => primary.roles.remove(primary.roles.all().at(-1)?.roleId ?? 0),
    }[resource]
    const before = live(test, resource)
    gone()
    const fault = test.sim.faults.add({
      path: `/api/public/${resource}`,
      hasCursor: false,
      effect: ofData((data: object[]) => [...data, { [idField]: null }]),
    })
    for (const _ of [1, 2, 3]) {
      expect(await test.run(resource, 'full')).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
    }
    expect(live(test, resource)).toBe(before)
    expect(held(test)).toHaveLength(1)
    test.sim.faults.remove(fault.id)
    await test.run(resource, 'full')
    await test.run(resource, 'full')
    expect(live(test, resource)).toBe(Number(before) - 1)
    expect(held(test)).toEqual([])
  }
})

it('quarantines a record that lacks a field of its stored version, or ever the expiry of a secret, while null is a value', async () => {
  const test = await fullySynced()
  const { primary } = test.sim
  const [one, other] = [...primary['api-clients'].all()]
  const [document] = [...primary.documents.all()]
  primary['api-clients'].update(one?.clientId ?? '', { raw: { secretExpirationDate: undefined } })
  primary['api-clients'].update(other?.clientId ?? '', { raw: { secretExpirationDate: null } })
  primary.documents.update(document?.fileId ?? '', { raw: { uploadStatus: undefined } })
  const added = primary['api-clients'].add({ raw: { secretExpirationDate: undefined } }).clientId
  for (const resource of ['api-clients', 'documents'] as const) await test.run(resource, 'full')
  const isMissing = 'secretExpirationDate is missing'
  expect(held(test)).toEqual([
    ...[one?.clientId, added].toSorted().map((key) => ({ resource: 'api-clients', key, problem: isMissing })),
    { resource: 'documents', key: document?.fileId, problem: 'uploadStatus is missing' },
  ])
  const stored = test.query('select client_id, secret_expiration_date as expires from api_clients')
  const expires = new Map(stored.map((row) => [row['client_id'], row['expires']]))
  expect([expires.get(one?.clientId), expires.get(other?.clientId)]).toEqual([one?.secretExpirationDate, null])
})
