import { expect, it } from 'vitest'
import { call, fullSync, record, records, start } from './support.ts'

it('adds, changes and removes users, roles, clients, documents and permissions', async () => {
  const { primary } = await start()
  const { state } = primary
  const role = primary.addRole({ name: 'Night shift', permissions: ['Api_Users_Read'] })
  const user = primary.addUser({ firstName: 'Zoë', roleId: Number(role.roleId), createdAt: '2026-02-01T00:00:00Z' })
  expect(user).toMatchObject({ firstName: 'Zoë', roleName: 'Night shift', createdAt: '2026-02-01T00:00:00.000Z' })
  expect(primary.updateRole(role.roleId, { name: 'Day shift', state: 'Inactive' }).permissions).toHaveLength(1)
  expect(state.user(user.userId)?.roleName).toBe('Day shift')
  expect(primary.updateUser(user.userId, { roleName: 'Shown otherwise' }).roleName).toBe('Shown otherwise')

  const client = primary.addApiClient({ secretExpirationDate: new Date('2026-03-02T00:00:00Z') })
  expect(primary.updateApiClient(client.clientId.toUpperCase(), { name: 'Renamed' })).toMatchObject({
    name: 'Renamed',
    secretExpirationDate: '2026-03-02T00:00:00.000Z',
  })
  const document = primary.addDocument({ filename: 'x.pdf', uploadStatus: null })
  expect(primary.updateDocument(document.fileId, { uploadStatus: 'Odd' }).uploadStatus).toBe('Odd')
  const permission = primary.addPermission({ code: 'New_Code' })
  expect(primary.updatePermission(permission.permissionId, { module: 'New' })).toMatchObject({
    module: 'New',
    code: 'New_Code',
  })
  expect(primary.setSettings({ mfaEnabled: false, providerType: null })).toMatchObject({
    mfaEnabled: false,
    providerType: null,
  })

  expect([
    primary.removeUser(user.userId),
    primary.removeRole(role.roleId),
    primary.removeApiClient(client.clientId),
    primary.removeDocument(document.fileId),
    primary.removePermission(permission.permissionId),
  ]).toEqual(Array(5).fill(true))
  expect([
    primary.removeUser(user.userId),
    primary.removeRole(role.roleId),
    primary.removeApiClient(client.clientId),
    primary.removeDocument(document.fileId),
    primary.removePermission(permission.permissionId),
  ]).toEqual(Array(5).fill(false))
  expect([state.userCount(), state.documentCount(), state.apiClientCount()]).toEqual([250, 120, 24])
})

it('refuses to change missing records', async () => {
  const { primary } = await start()
  expect(() => primary.updateUser(5, {})).toThrow('There is no record 5 of users')
  expect(() => primary.updateDocument('x', {})).toThrow(RangeError)
  expect(() => primary.updateRole(5, {})).toThrow(RangeError)
  expect(() => primary.updateApiClient('x', {})).toThrow(RangeError)
  expect(() => primary.updatePermission(5, {})).toThrow(RangeError)
})

it('removes an exact share or the matching records, and serves the rest', async () => {
  const simulator = await start()
  expect(simulator.primary.removeUsers(0.1)).toBe(25)
  expect(simulator.primary.removeUsers(({ state }) => state === 'Invited')).toBeGreaterThan(2)
  const { records: users } = await fullSync(simulator, '/users')
  expect(users).toHaveLength(simulator.state().userCount())
  expect(users.some(({ state }) => state === 'Invited')).toBe(false)
  expect(simulator.primary.removeDocuments(1)).toBe(120)
  expect(simulator.primary.removeApiClients(0.5)).toBe(12)
  const empty = await call(simulator, '/documents')
  expect(empty.body).toMatchObject({ data: [], pagination: { nextCursor: expect.any(String), hasMore: false } })
  const added = simulator.primary.addDocument()
  const next = await call(simulator, `/documents?cursor=${empty.body.pagination?.nextCursor}`)
  expect(records(next)).toEqual([added])
})

it('moves a user whose createdAt changes', async () => {
  const simulator = await start()
  const { userId } = simulator.primary.addUser()
  simulator.primary.updateUser(userId, { createdAt: '2001-01-01T00:00:00Z' })
  const { records: users } = await fullSync(simulator, '/users')
  expect(users[0]?.['userId']).toBe(userId)
  expect(users.filter((user) => user['userId'] === userId)).toHaveLength(1)
  const [, seeded] = users
  simulator.primary.updateUser(Number(seeded?.['userId']), { createdAt: '2000-01-01T00:00:00Z' })
  const moved = (await fullSync(simulator, '/users')).records
  expect([moved[0]?.['userId'], moved.length]).toEqual([seeded?.['userId'], 251])
  expect(record(await call(simulator, `/users/${seeded?.['userId']}`))['createdAt']).toBe('2000-01-01T00:00:00.000Z')
})
