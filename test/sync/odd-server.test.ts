import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/durations.ts'
import { type ResourceName, resourceNames } from '../../src/model/resource-names.ts'
import { comparable, type TestEngine, testEngine } from '../support/engine.ts'
import { type OddServer, oddServer } from './support/odd-server.ts'

const user = (userId: number, createdAt: string) => ({
  userId,
  firstName: 'Ada',
  lastName: '',
  email: `${userId}@example.com`,
  state: userId % 2 === 0 ? 'ACTIVE' : 'invited',
  mfaStatus: true,
  mfaAction: false,
  roleId: null,
  roleName: 'Twin',
  createdAt,
  nickname: ['unknown', { to: 'anybody' }],
})
const document = (n: number) => ({
  filename: 'twin.pdf',
  uploadStatus: n % 2 === 0 ? 'completed' : null,
  createdAt: `2025-01-${String(n + 10)}T23:30:00.1234567-05:30`,
  updatedAt: null,
})
const client = (n: number) => ({
  clientId: `AAAAAAAA-0000-0000-0000-00000000000${n}`,
  name: 'Twin',
  roleName: 'Twin',
  secretExpirationDate: '2027-01-01T00:00+14:00',
  createdAt: '2025-01-01T00:00:00Z',
})
const role = (roleId: number) => ({
  roleId,
  name: 'Twin',
  description: '',
  state: 'inactive',
  type: 'user',
  isReadOnly: false,
  permissions: [{ permissionId: 3, name: 'n', module: 'm', function: 'f', code: 'c' }],
})

async function begin(): Promise<{ test: TestEngine; server: OddServer }> {
  const server = await oddServer()
  // The creation times are in several time zones.
  for (let n = 1; n <= 9; n++) server.users.push(user(n, `2025-01-01T0${n}:00:00+0${n % 3}:00`))
  for (let n = 1; n <= 8; n++) server.put(document(n))
  for (let n = 1; n <= 7; n++) server.clients.push(client(n))
  server.roles.push(role(1), role(2))
  const removals = { maxCount: 100, maxPercent: 100 }
  const test = await testEngine({ settings: { baseUrl: server.url, userDetails: { perRun: 0 }, removals } })
  return { test, server }
}

async function run(test: TestEngine, mode: 'incremental' | 'full'): Promise<void> {
  test.clock.advance(hourMs)
  const results = await test.runAll(mode)
  expect(results.map(({ outcome, message }) => `${outcome} ${message}`)).toEqual(results.map(() => 'success null'))
}

async function expectMirrored(test: TestEngine, server: OddServer): Promise<void> {
  const truth: Partial<Record<ResourceName, readonly object[]>> = {
    users: server.users,
    documents: [...server.documents.values()],
    'api-clients': server.clients,
    roles: server.roles,
  }
  for (const resource of resourceNames) {
    const wanted = truth[resource]
    if (wanted === undefined) continue
    const held = await test.exported(resource)
    // One user may have been read by id.
    const rows = resource === 'users' ? held.map((row) => ({ ...row, roleId: null })) : held
    expect(comparable(resource, rows), resource).toEqual(comparable(resource, wanted))
  }
}

it('mirrors a tenant that reads everything the specification leaves open in its own way', async () => {
  const { test, server } = await begin()
  await run(test, 'full')
  await expectMirrored(test, server)
  for (const mode of ['incremental', 'full', 'incremental'] as const) await run(test, mode)
  await expectMirrored(test, server)
  expect(test.query('select * from quarantine order by resource, key')).toEqual([])
})

it('adds new records of feeds by incremental syncs, and removes missing ones by full syncs', async () => {
  const { test, server } = await begin()
  await run(test, 'full')
  server.users.push(user(10, '2026-01-01T00:00:00Z'))
  for (let n = 9; n <= 13; n++) server.put(document(n))
  const [changed] = server.documents.values()
  server.put({ ...changed, filename: 'renamed.pdf', updatedAt: '2026-02-28T12:00:00-11:00' })
  await run(test, 'incremental')
  await expectMirrored(test, server)
  server.users.splice(2, 1)
  server.clients.splice(2, 1)
  await run(test, 'full')
  await run(test, 'full')
  await expectMirrored(test, server)
})

it('makes good a cursor that it no longer knows and refuses with a page of HTML', async () => {
  const { test, server } = await begin()
  await run(test, 'full')
  server.forget()
  server.users.push(user(11, '2026-01-02T00:00:00Z'))
  server.put({ ...document(4), createdAt: '2026-03-01T11:59:00Z' })
  await run(test, 'incremental')
  expect(test.observed.resets.toSorted()).toEqual(['documents', 'users'])
  expect(new Set(server.asked.filter((path) => path.includes('updatedAfter'))).size).toBe(1)
  await expectMirrored(test, server)
})
