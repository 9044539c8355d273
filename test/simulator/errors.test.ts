import { expect, it } from 'vitest'
import type { TokenName } from '../../src/simulator/index.ts'
import { api, call, code, records, start } from './support.ts'

const lists = '/users /users/1 /roles /roles/1 /permissions /authentication-settings /api-clients /documents'.split(' ')
const time = '2026-01-01T00:00:00Z'

/** Who may not read which endpoints. */
const closed: readonly (readonly [token: TokenName | null, paths: readonly string[]])[] = [
  [null, lists],
  ['withoutUsers', ['/users', '/users/1']],
  ['withoutRoles', ['/roles', '/roles/1', '/permissions']],
  ['withoutAuthSettings', ['/authentication-settings']],
  ['withoutApiClients', ['/api-clients']],
  ['withoutDocuments', ['/documents']],
  ['none', lists],
  ['createOnly', lists],
  ['expired', lists],
]

it.each(closed)('answers 401 to the token %s exactly where its permission is missing', async (token, paths) => {
  const simulator = await start()
  const { error } = (await call(simulator, '/users', { token: null })).body
  for (const path of lists) {
    const { status, body } = await call(simulator, path, { token })
    expect([path, status === 401]).toEqual([path, paths.includes(path)])
    if (status === 401) expect(body).toMatchObject({ data: null, pagination: null, error })
  }
})

it.each(['Bearer nonsense', 'Basic TOKEN', 'TOKEN'])('answers 401 to the credential %s', async (written) => {
  const simulator = await start()
  const headers = { authorization: written.replace('TOKEN', simulator.tokens.reader) }
  expect((await simulator.fetch(new Request(`${api}/users`, { headers }))).status).toBe(401)
})

/** Requests and what they are refused with; USERS, DOCUMENTS and FOREIGN stand for issued cursors. */
const refused: readonly (readonly [request: string, status: number, code: string, allow?: string])[] = [
  ['POST /users', 401, 'UNAUTHORIZED'],
  [`GET /users?cursor=USERS&updatedAfter=${time}`, 400, 'BAD_REQUEST'],
  [`GET /documents?cursor=DOCUMENTS&updatedAfter=${time}`, 400, 'VALIDATION_FAILED'],
  ['GET /users?cursor=nonsense', 400, 'VALIDATION_FAILED'],
  ['GET /users?cursor=xUSERS', 400, 'VALIDATION_FAILED'],
  ['GET /users?cursor=DOCUMENTS', 400, 'VALIDATION_FAILED'],
  ['GET /users?cursor=FOREIGN', 400, 'VALIDATION_FAILED'],
  ['GET /documents?cursor=USERS', 400, 'VALIDATION_FAILED'],
  ['GET /documents?updatedAfter=yesterday', 400, 'VALIDATION_FAILED'],
  ['GET /users/55555', 404, 'NOT_FOUND'],
  ['GET /users/abc', 404, 'NOT_FOUND'],
  ['GET /roles/66666', 404, 'NOT_FOUND'],
  ['GET /nothing', 404, 'NOT_FOUND'],
  ['GET /users/1/roles', 404, 'NOT_FOUND'],
  ['GET /documents/1', 404, 'NOT_FOUND'],
  ['DELETE /users/1', 405, 'METHOD_NOT_ALLOWED', 'GET'],
  ['PUT /users', 405, 'METHOD_NOT_ALLOWED', 'POST, GET'],
]

it('refuses each request with its status and code in the envelope', async () => {
  const simulator = await start()
  simulator.second.users.add({ userId: 55_555 })
  simulator.second.roles.add({ roleId: 66_666 })
  const cursorOf = async (path: string, token: TokenName) =>
    encodeURIComponent(String((await call(simulator, path, { token })).body.pagination?.nextCursor))
  const users = await cursorOf('/users', 'reader')
  const documents = await cursorOf('/documents', 'reader')
  const foreign = await cursorOf('/users', 'secondReader')
  for (const [request, status, wanted, allow = null] of refused) {
    const [method = '', path = ''] = request.split(' ')
    const asked = path.replace('USERS', users).replace('DOCUMENTS', documents).replace('FOREIGN', foreign)
    const answer = await call(simulator, asked, { method, ...(method === 'POST' && { json: {} }) })
    expect([request, answer.status, code(answer)]).toEqual([request, status, wanted])
    expect(answer.body).toMatchObject({ data: null, pagination: null, meta: { requestId: expect.any(String) } })
    expect([request, answer.headers.get('allow')]).toEqual([request, allow])
  }
  const kinds = new Set(simulator.violations.map(({ kind }) => kind))
  for (const kind of ['cursor-with-updated-after', 'unknown-path', 'unknown-method'] as const)
    expect(kinds).toContain(kind)
})

it('gives the first page of API clients for an invalid cursor', async () => {
  const simulator = await start()
  const first = await call(simulator, '/api-clients')
  for (const cursor of ['nonsense', '', 'A'.repeat(300)]) {
    const answer = await call(simulator, `/api-clients?cursor=${cursor}`)
    expect([answer.status, records(answer)]).toEqual([200, records(first)])
  }
})
