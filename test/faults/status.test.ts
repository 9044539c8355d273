import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/durations.ts'
import { type FaultCase, type HarmlessCase, named, proveFault, proveHarmless } from './support/fault-case.ts'
import { resourceAt, startScene } from './support/scene.ts'
import * as wire from './support/wire.ts'

const right = (status: number) => wire.changed((body) => body, {}, status)
const statuses = (list: readonly number[]) =>
  Object.fromEntries(list.map((status) => [status, wire.answer(status, '<html>')]))
const ageless = { 'retry-after': '99999999999' }

const faults: readonly FaultCase[] = [
  {
    id: 'H1',
    what: '400 with and without a cursor',
    fault: wire.problem(400, 'BAD_REQUEST'),
    modes: ['full'],
    reason: 'client_error',
    requests: 1,
  },
  {
    id: 'H1',
    what: '400 on every cursor in the middle of a full sync',
    on: 'documents',
    fault: wire.problem(400, 'VALIDATION_FAILED'),
    when: (query) => query.has('cursor'),
    modes: ['full'],
    reason: 'invalid_cursor',
    requests: 4,
  },
  {
    id: 'H3',
    what: '401 everywhere',
    on: 'documents',
    reason: 'unauthorized',
    atOnce: 'unknown',
    state: ({ server }) => {
      server.choose = () => wire.problem(401, 'UNAUTHORIZED')
      return async () => {
        server.choose = () => undefined
      }
    },
  },
  ...(['users', 'documents', 'api-clients', 'authentication-settings'] as const).map(
    (on): FaultCase => ({
      id: 'H4',
      what: `401 on ${on} alone`,
      on,
      fault: wire.problem(401, 'UNAUTHORIZED'),
      reason: 'missing_permission',
      atOnce: 'unknown',
    }),
  ),
  {
    id: 'H5',
    what: '401 from the second page on',
    fault: wire.problem(401, 'UNAUTHORIZED'),
    fromPage: 2,
    modes: ['full'],
    reason: 'missing_permission',
    atOnce: 'unknown',
  },
  {
    id: 'H6',
    what: '403',
    on: 'roles',
    fault: wire.problem(403, 'FORBIDDEN'),
    reason: 'missing_permission',
    atOnce: 'unknown',
    // One of them tests whether the token still works.
    requests: 2,
  },
  { id: 'H6', what: '407', fault: wire.answer(407), reason: 'client_error', requests: 1 },
  { id: 'H6', what: '451', on: 'documents', fault: wire.answer(451), reason: 'client_error', requests: 1 },
  ...(['users', 'documents', 'api-clients', 'roles', 'permissions', 'authentication-settings'] as const).map(
    (on): FaultCase => ({
      id: 'H7',
      what: `404 on ${on}`,
      on,
      fault: wire.problem(404, 'NOT_FOUND'),
      // An incremental sync takes it for a refusal of its cursor.
      modes: ['full'],
      reason: 'client_error',
      requests: 1,
    }),
  ),
  {
    id: 'H9',
    what: 'any other 4xx',
    family: () => statuses([402, 405, 418, 425, 499]),
    reason: 'client_error',
    requests: 1,
  },
  {
    id: 'H9',
    what: '4xx that may refuse a cursor, of an address without one',
    family: () => statuses([410, 413, 414, 422, 431]),
    modes: ['full'],
    reason: 'client_error',
    requests: 1,
  },
  { id: 'H10', what: '408', on: 'documents', fault: wire.answer(408), reason: 'timeout' },
  { id: 'H10', what: '429', on: 'api-clients', fault: wire.answer(429), reason: 'rate_limited' },
  {
    id: 'H10',
    what: 'any 5xx',
    family: () => statuses([500, 501, 502, 503, 504, 520, 529, 599]),
    reason: 'server_error',
  },
  {
    id: 'H10',
    what: '503 that asks for two minutes',
    on: 'documents',
    fault: wire.answer(503, '', { 'retry-after': '120' }),
    reason: 'rate_limited',
    requests: 1,
  },
  {
    id: 'H11',
    what: '429 that asks for 3000 years',
    on: 'roles',
    fault: wire.answer(429, '', ageless),
    reason: 'rate_limited',
    requests: 1,
    silences: true,
  },
  {
    id: 'H11',
    what: '500 that asks for 3000 years',
    fault: wire.answer(500, '', ageless),
    reason: 'rate_limited',
    requests: 1,
    silences: true,
  },
  { id: 'H12', what: '500 on roles', on: 'roles', fault: wire.problem(500, 'INTERNAL_ERROR'), reason: 'server_error' },
  {
    id: 'H12',
    what: '500 on permissions',
    on: 'permissions',
    fault: wire.problem(500, 'INTERNAL_ERROR'),
    reason: 'server_error',
  },
  {
    id: 'H13',
    what: '200 with an error',
    on: 'authentication-settings',
    fault: wire.reshaped((envelope) => {
      envelope.error = { code: 'INTERNAL_ERROR', message: wire.bodyCanary }
    }),
    reason: 'protocol',
    requests: 1,
  },
  {
    id: 'H14',
    what: 'the right answer with another 2xx',
    on: 'documents',
    family: () => Object.fromEntries([201, 202, 203, 206, 226, 299].map((status) => [status, right(status)])),
    reason: 'protocol',
    requests: 1,
  },
  { id: 'H14', what: '204', fault: wire.raw('HTTP/1.1 204 X\r\n\r\n'), reason: 'protocol', requests: 1 },
  {
    id: 'H14',
    what: '205',
    on: 'api-clients',
    fault: wire.raw('HTTP/1.1 205 X\r\n\r\n'),
    reason: 'protocol',
    requests: 1,
  },
  {
    id: 'H14',
    what: '304',
    on: 'documents',
    fault: wire.raw('HTTP/1.1 304 Same\r\n\r\n'),
    reason: 'protocol',
    requests: 1,
  },
  {
    id: 'H15',
    what: 'a head that is not HTTP',
    on: 'documents',
    family: () => ({
      'a status line that is none': wire.raw('SSH-2.0-OpenSSH_9.9\r\n\r\n'),
      'a status of four digits': wire.raw('HTTP/1.1 2000 OK\r\n\r\n'),
      'HTTP of the future': wire.raw('HTTP/9.9 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
      'two lengths that differ': wire.raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 4\r\n\r\n{}{}'),
    }),
    reason: 'network',
  },
  {
    id: 'H15',
    what: 'a head that means two things',
    on: 'api-clients',
    family: () => ({
      'length beside chunks': wire.raw(
        'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      ),
      'a negative length': wire.raw('HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n{}'),
      'a line break within a header': wire.raw('HTTP/1.1 200 OK\r\nx: a\rb\r\ncontent-length: 2\r\n\r\n{}'),
      'a chunk without a size': wire.raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n'),
    }),
    reason: 'network',
  },
  {
    id: 'H15',
    what: 'a header over 16 KiB',
    on: 'roles',
    fault: wire.raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
    reason: 'too_large',
    requests: 1,
  },
  {
    id: 'H15',
    what: 'an upgrade nobody asked for',
    fault: wire.raw('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    reason: 'network',
    requests: 6,
  },
  {
    id: 'H16',
    what: 'an error body of any shape',
    family: () => ({
      'a text': wire.answer(400, JSON.stringify(wire.bodyCanary)),
      'an array': wire.answer(410, `[["${wire.bodyCanary}"]]`),
      HTML: wire.answer(422, `<p>${wire.bodyCanary}`),
      '1 MiB': wire.answer(410, Buffer.alloc(2 ** 20, 'x')),
      'bytes that are no text': wire.answer(418, Buffer.alloc(5000, 0xff)),
      'compressed nonsense': wire.answer(418, wire.bodyCanary, { 'content-encoding': 'gzip' }),
    }),
    modes: ['full'],
    reason: 'client_error',
    requests: 1,
  },
]

it.each(named(faults))('%s ends the run, and nothing of it is kept', (_, row) => proveFault(row))

const harmless: readonly HarmlessCase[] = [
  { id: 'H5', what: 'a single 503', fault: wire.answer(503), times: 1 },
  { id: 'H10', what: 'four times 500 in a row', on: 'roles', fault: wire.answer(500), times: 4 },
  {
    id: 'H10',
    what: '429 that asks for 20 s',
    on: 'documents',
    fault: wire.answer(429, '', { 'retry-after': '20' }),
    times: 2,
  },
  { id: 'H15', what: 'interim answers before the right one', fault: wire.afterInterim(20) },
]

it.each(named(harmless))('%s is ridden out', (_, row) => proveHarmless(row))

it('H1 a stored cursor refused while no full sync succeeds either stays stored, and the full sync that it requires continues', async () => {
  const scene = await startScene()
  const { test, server } = scene
  await scene.cycle()
  const cursor = async () => (await test.mirror.syncState(test.engine.tenantId, 'users')).cursor
  const before = await cursor()
  test.clock.advance(5 * minuteMs)
  server.choose = ({ path }) => (resourceAt(path) === 'users' ? wire.problem(400, 'BAD_REQUEST') : undefined)
  expect(await test.run('users', 'incremental')).toMatchObject({ reason: 'client_error', mode: 'full' })
  expect(await cursor()).toBe(before)
  server.choose = () => undefined
  test.clock.advance(5 * minuteMs)
  expect(await test.run('users', 'incremental')).toMatchObject({ outcome: 'success', mode: 'full' })
  scene.assertManners()
})

it('H2 a cursor is never sent beside a time, not even while a refused one is made good by time', async () => {
  const scene = await startScene()
  const { test, server } = scene
  await scene.cycle()
  const { cursor } = await test.mirror.syncState(test.engine.tenantId, 'documents')
  const refused = wire.problem(400, 'BAD_REQUEST')
  server.choose = ({ path, query }) =>
    resourceAt(path) === 'documents' && query.get('cursor') === cursor ? refused : undefined
  server.requests.length = 0
  await test.run('documents', 'incremental')
  const asked = server.requests
    .filter(({ path }) => resourceAt(path) === 'documents')
    .map(({ query }) => [...query.keys()])
  expect(asked[0]).toEqual(['cursor'])
  expect(asked[1]).toEqual(['updatedAfter'])
  expect(asked.filter((names) => names.includes('cursor') && names.includes('updatedAfter'))).toEqual([])
  scene.assertManners()
})

it.each([
  ['a page of a proxy', wire.answer(404, '<html>Not here</html>', { 'content-type': 'text/html' }), 1],
  ['an empty body', wire.answer(404), 1],
  ['the envelope of the API', wire.problem(404, 'NOT_FOUND'), 0],
] as const)('H8 404 for a missing user removes it only when the API itself sent it: %s', async (_, fault, left) => {
  const scene = await startScene()
  const { test, server } = scene
  await scene.cycle()
  const [user] = test.query('select user_id from users order by user_id limit 1')
  const userId = Number(user?.['user_id'])
  test.sim.primary.removeUser(userId)
  server.choose = ({ path }) => (path === `/api/public/users/${userId}` ? fault : undefined)
  expect((await test.run('users', 'full')).outcome).toBe('success')
  const live = test.query('select user_id from users where user_id = ? and removed_at is null', userId)
  expect(live).toHaveLength(left)
  await scene.evaluator()
  if (left === 1) expect((await scene.stored())['user-invitation-accepted']).toBe('unknown')
  server.choose = () => undefined
  await test.run('users', 'full')
  expect(test.query('select user_id from users where user_id = ? and removed_at is null', userId)).toHaveLength(0)
  scene.assertManners()
})
