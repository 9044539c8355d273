import { expect, it } from 'vitest'
import { permissionCodes } from '../../src/simulator/index.ts'
import { call, fullSync, record, records, start, startTime } from './support.ts'

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

it('puts every answer into the envelope, with another request id each', async () => {
  const simulator = await start()
  const paths = ['/users', '/roles', '/permissions', '/authentication-settings', '/api-clients', '/documents']
  const answers = await Promise.all(paths.map((path) => call(simulator, path)))
  for (const { status, body, headers } of answers) {
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['data', 'pagination', 'error', 'meta'])
    expect(body.error).toBeNull()
    expect(body.meta.requestId).toMatch(guid)
    expect(body.meta.timestamp).toBe(new Date(startTime).toISOString())
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  }
  expect(new Set(answers.map(({ body }) => body.meta.requestId)).size).toBe(paths.length)
})

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

it('shows the roleId in get user only, with the name of that role', async () => {
  const simulator = await start()
  const [listed] = records(await call(simulator, '/users?limit=1'))
  const answer = await call(simulator, `/users/${listed?.['userId']}`)
  const user = record(answer)
  const role = record(await call(simulator, `/roles/${user['roleId']}`))
  expect(answer.body.pagination).toBeNull()
  expect(user).toEqual({ ...listed, roleId: role['roleId'] })
  expect(role['name']).toBe(user['roleName'])
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

it('keeps the tenants apart on every endpoint', async () => {
  const simulator = await start()
  const ids = async (path: string, id: string, token: 'reader' | 'secondReader') =>
    (await fullSync(simulator, path, null, token)).records.map((one) => one[id])
  for (const [path, id] of [
    ['/users', 'userId'],
    ['/documents', 'fileId'],
    ['/api-clients', 'clientId'],
  ] as const) {
    const primary = new Set(await ids(path, id, 'reader'))
    const second = await ids(path, id, 'secondReader')
    expect(second.length).toBeGreaterThan(0)
    // A user may be in several tenants (docs/internals/api.md#user).
    expect(second.filter((one) => primary.has(one))).toHaveLength(id === 'userId' ? 2 : 0)
  }
  const roleIds = (tenant: 'primary' | 'second') => simulator[tenant].roles.all().map(({ roleId }) => roleId)
  expect(roleIds('second').filter((id) => roleIds('primary').includes(id))).toEqual([])
  const user = simulator.primary.users.add()
  expect((await call(simulator, `/users/${user.userId}`)).status).toBe(200)
  expect((await call(simulator, `/users/${user.userId}`, { token: 'secondReader' })).status).toBe(404)
})
