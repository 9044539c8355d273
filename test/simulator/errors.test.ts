import { expect, it } from 'vitest'
import type { TokenName } from '../../src/simulator/index.ts'
import { api, call, code, records, start } from './support.ts'

const lists = [
  '/users',
  '/users/1',
  '/roles',
  '/roles/1',
  '/permissions',
  '/authentication-settings',
  '/api-clients',
  '/documents',
]

it('answers 401 without a token, with an unknown one and with a wrong scheme, on every endpoint', async () => {
  const simulator = await start()
  for (const path of lists) {
    const answer = await call(simulator, path, { token: null })
    expect([path, answer.status, code(answer)]).toEqual([path, 401, 'UNAUTHORIZED'])
    expect(answer.body).toMatchObject({ data: null, pagination: null })
  }
  for (const authorization of ['Bearer nonsense', `Basic ${simulator.tokens.reader}`, simulator.tokens.reader]) {
    expect((await simulator.fetch(new Request(`${api}/users`, { headers: { authorization } }))).status).toBe(401)
  }
})

it('answers 401 exactly where the permission is missing, and the same way as for a missing token', async () => {
  const simulator = await start()
  const missing: [TokenName, string[]][] = [
    ['withoutUsers', ['/users', '/users/1']],
    ['withoutRoles', ['/roles', '/roles/1', '/permissions']],
    ['withoutAuthSettings', ['/authentication-settings']],
    ['withoutApiClients', ['/api-clients']],
    ['withoutDocuments', ['/documents']],
    ['none', lists],
    ['createOnly', lists],
    ['expired', lists],
  ]
  const { error } = (await call(simulator, '/users', { token: null })).body
  for (const [token, closed] of missing) {
    for (const path of lists) {
      const answer = await call(simulator, path, { token })
      expect([token, path, answer.status === 401]).toEqual([token, path, closed.includes(path)])
      if (answer.status === 401) expect(answer.body.error).toEqual(error)
    }
  }
})

it('answers 401 to a reader that creates a user', async () => {
  const simulator = await start()
  const answer = await call(simulator, '/users', { method: 'POST', json: {} })
  expect([answer.status, code(answer)]).toEqual([401, 'UNAUTHORIZED'])
})

it('refuses cursor and updatedAfter together with BAD_REQUEST on users, VALIDATION_FAILED on documents', async () => {
  const simulator = await start()
  const time = '2026-01-01T00:00:00Z'
  for (const [path, wanted] of [
    ['/users', 'BAD_REQUEST'],
    ['/documents', 'VALIDATION_FAILED'],
  ] as const) {
    const cursor = (await call(simulator, path)).body.pagination?.nextCursor
    const answer = await call(simulator, `${path}?cursor=${cursor}&updatedAfter=${time}`)
    expect([answer.status, code(answer)]).toEqual([400, wanted])
  }
  expect(simulator.violations.map(({ kind }) => kind)).toEqual([
    'cursor-with-updated-after',
    'cursor-with-updated-after',
  ])
})

it('refuses malformed, altered, empty and foreign cursors of users and documents with VALIDATION_FAILED', async () => {
  const simulator = await start()
  const users = String((await call(simulator, '/users')).body.pagination?.nextCursor)
  const documents = String((await call(simulator, '/documents')).body.pagination?.nextCursor)
  const foreign = String((await call(simulator, '/users', { token: 'secondReader' })).body.pagination?.nextCursor)
  const altered = `${users[0] === 'A' ? 'B' : 'A'}${users.slice(1)}`
  for (const [path, cursor] of [
    ['/users', 'nonsense'],
    ['/users', ''],
    ['/users', altered],
    ['/users', documents],
    ['/users', foreign],
    ['/documents', 'nonsense'],
    ['/documents', users],
  ] as const) {
    const answer = await call(simulator, `${path}?cursor=${encodeURIComponent(cursor)}`)
    expect([path, cursor, answer.status, code(answer)]).toEqual([path, cursor, 400, 'VALIDATION_FAILED'])
  }
})

it('gives the first page of API clients for an invalid cursor', async () => {
  const simulator = await start()
  const first = await call(simulator, '/api-clients')
  for (const cursor of ['nonsense', '', 'A'.repeat(300)]) {
    const answer = await call(simulator, `/api-clients?cursor=${cursor}`)
    expect(answer.status).toBe(200)
    expect(records(answer)).toEqual(records(first))
  }
})

it('refuses an updatedAfter that is no timestamp on documents', async () => {
  const simulator = await start()
  for (const text of ['yesterday', '2026-02-30', '']) {
    const answer = await call(simulator, `/documents?updatedAfter=${text}`)
    expect([text, answer.status, code(answer)]).toEqual([text, 400, 'VALIDATION_FAILED'])
  }
})

it('answers 404 for users and roles that are not there, are no integers, or belong to the other tenant', async () => {
  const simulator = await start()
  const user = simulator.second.addUser({ userId: 55_555 })
  const role = simulator.second.addRole({ roleId: 66_666 })
  const absent = await call(simulator, '/users/999999999')
  for (const path of [`/users/${user.userId}`, '/users/abc', '/users/0', '/users/1.5', '/users/99999999999999999999']) {
    const answer = await call(simulator, path)
    expect([path, answer.status, answer.body.error]).toEqual([path, 404, absent.body.error])
  }
  for (const path of [`/roles/${role.roleId}`, '/roles/5', '/roles/x']) {
    const answer = await call(simulator, path)
    expect([path, answer.status, code(answer)]).toEqual([path, 404, 'NOT_FOUND'])
  }
})

it('answers 404 in the envelope for unknown paths, also without a token', async () => {
  const simulator = await start()
  for (const path of ['/nothing', '/users/1/roles', '/users/', '/documents/1', '/', '/Users']) {
    const answer = await call(simulator, path, { token: null })
    expect([path, answer.status, code(answer)]).toEqual([path, 404, 'NOT_FOUND'])
    expect(answer.body.meta.requestId).toBeTypeOf('string')
  }
})

it('answers 405 with the allowed methods to others', async () => {
  const simulator = await start()
  for (const [method, path, allow] of [
    ['DELETE', '/users/1', 'GET'],
    ['PUT', '/users', 'POST, GET'],
    ['POST', '/documents', 'GET'],
  ] as const) {
    const answer = await call(simulator, path, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
  }
  expect(simulator.violations.map(({ kind }) => kind)).toEqual(Array(3).fill('unknown-method'))
  expect(simulator.requests.nonGet()).toHaveLength(3)
})

it('answers 500 for an upstream failure of roles and permissions, never an empty list', async () => {
  const simulator = await start()
  for (const path of ['/roles', '/permissions']) {
    simulator.faults.add({ path: `/api/public${path}`, effect: { kind: 'status', status: 500 } })
    const answer = await call(simulator, path)
    expect([answer.status, code(answer), answer.body.data]).toEqual([500, 'INTERNAL_ERROR', null])
  }
})
