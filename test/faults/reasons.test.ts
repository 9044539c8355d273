import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, it, onTestFinished, vi } from 'vitest'
import { dayMs } from '../../src/model/durations.ts'
import { resources } from '../../src/resources/index.ts'
import { type FaultCase, type HarmlessCase, named, proveFault, proveHarmless } from './support/fault-case.ts'
import type { Fault } from './support/fault-server.ts'
import { startScene } from './support/scene.ts'
import { expired, secured, show } from './support/tls-scene.ts'
import * as wire from './support/wire.ts'

// Which answer gives which reason is the table of test/api/faults.test.ts; here each reason goes through the engine.

const hasty = { settings: { api: { timeoutMs: 300 } } }
const broken = { reason: 'protocol', requests: 1 } as const
const withData = (data: unknown): Fault => wire.reshaped((envelope) => ({ ...envelope, data }))
const withEnd = (data: unknown): Fault =>
  wire.reshaped((envelope) => ({ ...envelope, data, pagination: { ...envelope.pagination, hasMore: false } }))

/** Pages for ever: the first one of the feed again and again, each with another cursor. */
function endless(data?: readonly unknown[], cursorOf = (page: number) => `c${page}`): Fault {
  let page = 0
  return async (context) => {
    const beginning = { ...context, good: () => context.good(context.request.path) }
    const pagination = { hasMore: true, nextCursor: cursorOf(page++) }
    await wire.reshaped((envelope) => ({ ...envelope, data: data ?? envelope.data, pagination }))(beginning)
  }
}

const faults: readonly FaultCase[] = [
  { what: '400', fault: wire.problem(400, 'BAD_REQUEST'), modes: ['full'], reason: 'client_error', requests: 1 },
  { what: '404 on roles', on: 'roles', fault: wire.problem(404, 'NOT_FOUND'), reason: 'client_error', requests: 1 },
  {
    what: '400 on every cursor in the middle of a full sync',
    on: 'documents',
    fault: wire.problem(400, 'VALIDATION_FAILED'),
    when: (query) => query.has('cursor'),
    modes: ['full'],
    reason: 'invalid_cursor',
    requests: 4,
  },
  {
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
  ...(['documents', 'api-clients', 'authentication-settings'] as const).map(
    (on): FaultCase => ({
      what: `401 on ${on} alone`,
      on,
      fault: wire.problem(401, 'UNAUTHORIZED'),
      reason: 'missing_permission',
      atOnce: 'unknown',
    }),
  ),
  {
    what: '401 from the second page on',
    fault: wire.problem(401, 'UNAUTHORIZED'),
    fromPage: 2,
    modes: ['full'],
    reason: 'missing_permission',
    atOnce: 'unknown',
  },
  {
    what: '403 on roles',
    on: 'roles',
    fault: wire.problem(403, 'FORBIDDEN'),
    reason: 'missing_permission',
    atOnce: 'unknown',
    requests: 2,
  },
  { what: '500', fault: wire.problem(500, 'INTERNAL_ERROR'), reason: 'server_error' },
  { what: '500 on roles', on: 'roles', fault: wire.problem(500, 'INTERNAL_ERROR'), reason: 'server_error' },
  { what: '429', on: 'api-clients', fault: wire.answer(429), reason: 'rate_limited' },
  {
    what: '500 that asks for 3000 years',
    fault: wire.answer(500, '', { 'retry-after': '99999999999' }),
    reason: 'rate_limited',
    requests: 1,
    silences: true,
  },
  {
    what: 'headers that never arrive',
    fault: wire.silence,
    reason: 'timeout',
    modes: ['full'],
    once: true,
    scene: hasty,
  },
  {
    what: 'a body that drips',
    on: 'api-clients',
    fault: wire.drippingBody,
    reason: 'timeout',
    modes: ['full'],
    once: true,
    scene: hasty,
  },
  {
    what: 'a refused connection',
    on: 'documents',
    reason: 'network',
    requests: 0,
    state: async ({ server }) => {
      await server.down()
      return () => server.up()
    },
  },
  {
    what: 'a reset in mid body of a later page',
    fault: wire.resetInBody,
    fromPage: 2,
    modes: ['full'],
    requests: 6,
    reason: 'network',
  },
  { what: 'a body cut within a chunk', on: 'permissions', fault: wire.cut('chunked'), reason: 'network' },
  {
    what: '3xx to another origin, the token in a header of its own',
    reason: 'redirect',
    requests: 1,
    family: ({ other }) =>
      Object.fromEntries(
        [301, 302, 307, 308].map((status) => [
          status,
          wire.answer(status, '', { location: `${other.url}/api/public/users`, refresh: '0; url=/' }),
        ]),
      ),
    scene: {
      settings: { auth: { header: 'X-Api-Token', scheme: '' } },
      readings: { tokenHeader: 'X-Api-Token', tokenScheme: '' },
    },
  },
  {
    what: 'a body over the cap',
    modes: ['full'],
    requests: 1,
    reason: 'too_large',
    fault: wire.changed((body) => Buffer.concat([Buffer.alloc(2 ** 21, ' '), body])),
    scene: { settings: { api: { maxBodyBytes: 2 ** 20 } } },
  },
  { what: 'no list of users', ...broken, fault: withData({}) },
  { what: 'no list of roles', on: 'roles', ...broken, fault: withData(null) },
  { what: 'no list of permissions', on: 'permissions', ...broken, fault: withData(0) },
  { what: 'a list in place of settings', on: 'authentication-settings', ...broken, fault: withData([]) },
  { what: 'no JSON', on: 'documents', ...broken, fault: wire.answer(200, `{"data": ${wire.bodyCanary}`) },
  {
    what: 'a sign-in page with 200',
    on: 'api-clients',
    ...broken,
    fault: wire.answer(200, `<html>${wire.bodyCanary}</html>`),
  },
  {
    what: 'an error beside data',
    ...broken,
    fault: wire.reshaped((envelope) => ({ ...envelope, error: { code: 'X', message: wire.bodyCanary } })),
  },
  {
    what: 'more pages without a cursor',
    on: 'documents',
    ...broken,
    family: () => ({
      null: wire.paged({ hasMore: true, nextCursor: null }),
      empty: wire.paged({ hasMore: true, nextCursor: '' }),
      absent: wire.paged({ hasMore: true, nextCursor: undefined }),
    }),
  },
  {
    what: 'cursors in a circle',
    modes: ['full'],
    reason: 'protocol',
    requests: 4,
    family: () => ({
      'one for all pages': endless(undefined, () => 'same'),
      'three in turn': endless(undefined, (page) => `round ${page % 3}`),
    }),
  },
  {
    what: 'empty pages for ever',
    on: 'documents',
    modes: ['full'],
    reason: 'protocol',
    requests: 3,
    family: () => ({ empty: endless([]) }),
  },
  {
    what: 'pages for ever',
    modes: ['full'],
    reason: 'protocol',
    requests: 8,
    family: () => ({ repeated: endless() }),
    scene: { settings: { api: { maxPages: 8 } } },
  },
  {
    what: 'an ignored cursor',
    on: 'api-clients',
    reason: 'invalid_cursor',
    requests: 2,
    family: () => ({ repeated: endless() }),
  },
  {
    what: 'an empty list of clients',
    on: 'api-clients',
    fault: withEnd([]),
    reason: 'suspect_empty',
    requests: 4,
    atOnce: 'no-pass',
  },
  {
    what: 'an empty list of roles',
    on: 'roles',
    fault: withData([]),
    reason: 'suspect_empty',
    requests: 1,
    atOnce: 'no-pass',
  },
]

it.each(named(faults))('%s ends the run, and nothing of it is kept', (_, row) => proveFault(row))

it('an expired certificate ends the run before a request is sent', async () => {
  const secure = secured()
  await proveFault({
    what: 'an expired certificate',
    on: 'documents',
    reason: 'tls',
    requests: 0,
    scene: secure.options,
    message: 'CERT_HAS_EXPIRED',
    state: async (scene) => {
      const shown = expired()
      secure.quality(shown.cert)
      const back = await show(scene, shown, secure.good)
      return () => {
        secure.quality(secure.good.cert)
        return back()
      }
    },
  })
})

/** Cursors as a hostile server would write them, turned back into the right ones when they return. */
function disguised(disguise: (cursor: string) => string): Fault {
  const right = new Map<string, string>()
  return async (context) => {
    const url = new URL(context.request.url, 'http://x')
    const sent = url.searchParams.get('cursor')
    if (sent !== null) url.searchParams.set('cursor', right.get(sent) ?? sent)
    const asked = { ...context, good: () => context.good(`${url.pathname}${url.search}`) }
    await wire.reshaped(({ pagination, ...rest }) => {
      const cursor = pagination?.['nextCursor']
      if (typeof cursor !== 'string' || pagination === null) return { ...rest, pagination }
      const nextCursor = disguise(cursor)
      right.set(nextCursor.toWellFormed(), cursor)
      return { ...rest, pagination: { ...pagination, nextCursor } }
    })(asked)
  }
}

const coded = (coding: string, encode: (body: Buffer) => Buffer) => wire.changed(encode, { 'content-encoding': coding })

const harmless: readonly HarmlessCase[] = [
  { what: 'four times 500 in a row', on: 'roles', fault: wire.answer(500), times: 4 },
  { what: '429 that asks for 20 s', on: 'documents', fault: wire.answer(429, '', { 'retry-after': '20' }), times: 2 },
  { what: 'interim answers before the right one', fault: wire.afterInterim(20) },
  { what: 'one answer cut against its length', on: 'roles', fault: wire.cut('content-length'), times: 1 },
  { what: 'answers in single bytes', fault: wire.sliced(1) },
  { what: 'connections closed after an answer', on: 'api-clients', fault: wire.thenClosed },
  { what: 'gzip', on: 'documents', fault: coded('gzip', gzipSync) },
  { what: 'brotli', on: 'api-clients', fault: coded('br', brotliCompressSync) },
  { what: 'every record twice', fault: wire.reshaped((one) => ({ ...one, data: [one.data, one.data].flat() })) },
  { what: 'users against their order', fault: wire.reshaped((one) => ({ ...one, data: [one.data].flat().reverse() })) },
  { what: 'a limit that makes no sense', fault: wire.paged({ limit: -5 }) },
  { what: 'cursors with signs of their own', fault: disguised((cursor) => `&a=b%00#?/\\"'<>+ é😀${cursor}`) },
  { what: 'cursors with line breaks', on: 'documents', fault: disguised((cursor) => `${cursor}\r\nx: y\r\n\r\nGET /`) },
  { what: 'cursors of 8 KB', on: 'api-clients', fault: disguised((cursor) => cursor.padEnd(8000, '_')) },
  { what: 'a list of clients that is empty once', on: 'api-clients', fault: withEnd([]), times: 1 },
]

it.each(named(harmless))('%s is read', (_, row) => proveHarmless(row))

it('a network that is back after three days costs an ordinary cycle, no burst', async () => {
  const scene = await startScene()
  const { test, server } = scene
  await scene.cycle()
  test.clock.advance(dayMs)
  server.requests.length = 0
  await scene.cycle()
  const ordinary = server.requests.length
  await server.down()
  for (let day = 0; day < 3; day++) {
    test.clock.advance(dayMs)
    const results = await scene.cycle()
    expect(results.map(({ reason }) => reason)).toEqual(Array(resources.length).fill('network'))
    expect(Object.values(await scene.stored())).not.toContain('pass')
  }
  await server.up()
  server.requests.length = 0
  const results = await scene.cycle()
  expect(results.map(({ reason }) => reason)).toEqual(Array(resources.length).fill(null))
  expect(server.requests.length).toBeLessThanOrEqual(ordinary)
  scene.assertManners()
})

it('proxies that only the environment names are not used', async () => {
  const scene = await startScene()
  for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']) {
    vi.stubEnv(name, scene.other.url)
  }
  onTestFinished(() => void vi.unstubAllEnvs())
  await scene.test.restart({})
  const results = await scene.cycle()
  expect(results.map(({ reason }) => reason)).toEqual(Array(resources.length).fill(null))
  scene.assertManners()
})
