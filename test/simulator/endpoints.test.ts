import { expect, it } from 'vitest'
import { permissionCodes } from '../../src/simulator/index.ts'
import { call, fullSync, records, start } from './support.ts'

it('lists users oldest first with a null roleId and the fields of the specification', async () => {
  const simulator = await start()
  const { records: users, answers } = await fullSync(simulator, '/users')
  expect(users).toHaveLength(250)
  expect(answers[0]?.body.pagination).toEqual({ limit: 50, nextCursor: expect.any(String), hasMore: true })
  expect(users.every(({ roleId }) => roleId === null)).toBe(true)
  const times = users.map(({ createdAt }) => String(createdAt))
  expect(times).toEqual(times.toSorted())
  expect(new Set(times).size).toBeLessThan(times.length)
  expect(Object.keys(users[0] ?? {}).join(' ')).toBe(
    'userId firstName lastName email state mfaStatus mfaAction roleId roleName createdAt',
  )
})

it('lists roles whole, inactive ones and two of one name among them, in no fixed order', async () => {
  const simulator = await start()
  const first = await call(simulator, '/roles')
  const second = await call(simulator, '/roles')
  expect(first.body.pagination).toBeNull()
  const ids = (answer: typeof first) => records(answer).map(({ roleId }) => Number(roleId))
  expect(ids(first)).not.toEqual(ids(second))
  expect(ids(first).toSorted((a, b) => a - b)).toEqual(ids(second).toSorted((a, b) => a - b))
  expect(records(first).filter(({ name }) => name === 'Viewer')).toHaveLength(2)
  expect(records(first).some(({ state }) => state === 'Inactive')).toBe(true)
  expect(records(first).find(({ name }) => name === 'Compliance Reader')?.['permissions']).toHaveLength(
    permissionCodes.length - 1,
  )
})

it('lists API clients without limit, the calling one among them and no secret anywhere', async () => {
  const simulator = await start()
  const { records: clients, answers } = await fullSync(simulator, '/api-clients')
  expect(answers.length).toBeGreaterThan(1)
  for (const { body } of answers) expect(body.pagination).not.toHaveProperty('limit')
  expect(answers.at(-1)?.body.pagination).toEqual({ nextCursor: null, hasMore: false })
  const { clientId, clientSecret } = simulator.credentials.reader
  expect(clients.map((client) => client['clientId'])).toContain(clientId)
  expect(JSON.stringify(clients)).not.toContain(clientSecret)
})

it('lists documents as metadata, at most 200 a page, and ends with a cursor to keep', async () => {
  const simulator = await start({ sizes: { documents: 450 } })
  const { records: documents, answers } = await fullSync(simulator, '/documents?limit=5000')
  expect(answers.map(({ body }) => body.pagination?.limit)).toEqual([200, 200, 200])
  expect(documents).toHaveLength(450)
  expect(answers.at(-1)?.body.pagination).toEqual({ limit: 200, nextCursor: expect.any(String), hasMore: false })
  expect(Object.keys(documents[0] ?? {})).toEqual(['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt'])
  expect(new Set(documents.map(({ fileId }) => fileId)).size).toBe(450)
  expect(new Set(documents.map(({ filename }) => filename)).size).toBeLessThan(450)
})

it('has two users in both tenants, and lets no token look up one of the other tenant alone', async () => {
  const simulator = await start()
  const { records: users } = await fullSync(simulator, '/users')
  const { records: second } = await fullSync(simulator, '/users', null, 'secondReader')
  // A user may be in several tenants (docs/internals/api.md#user).
  expect(second.filter((one) => users.some(({ userId }) => userId === one['userId']))).toHaveLength(2)
  const { userId } = simulator.primary.users.add()
  expect((await call(simulator, `/users/${userId}`, { token: 'secondReader' })).status).toBe(404)
})
