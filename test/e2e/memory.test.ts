import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Reason } from '../../src/model/reasons.ts'
import { type Fault, faultServer, head } from '../faults/support/fault-server.ts'
import type { MemoryReport } from '../faults/support/memory-child.ts'
import { answer } from '../faults/support/wire.ts'
import { temporaryFolder } from '../support/temporary.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const folder = join(root, 'node_modules/.cache/tenantwatch')
const child = join(folder, `memory-child-${process.pid}.mjs`)

/** Run from its sources, the child would spend more on reading them than on any answer. */
beforeAll(async () => {
  const banner =
    "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"
  await build({
    entryPoints: [join(root, 'test/faults/support/memory-child.ts')],
    outfile: child,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3'],
    banner: { js: banner },
    logLevel: 'warning',
  })
})

afterAll(() => rm(child, { force: true }))
const limitMiB = 400
const mib = 2 ** 20

const tail = '"pagination":{"limit":50,"nextCursor":null,"hasMore":false},"error":null,"meta":{"requestId":"x"}}'
const page = (data: string) => `{"data":${data},${tail}`
/** A list of as many of these as fit into so many bytes. */
const full = (item: string, bytes: number) =>
  page(`[${`${item},`.repeat(Math.floor((bytes - 200) / (item.length + 1)))}${item}]`)
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const json = { 'content-type': 'application/json' }

/** Writes a block again and again, as fast as the other side takes it. */
const endless =
  (first: string, block: string): Fault =>
  async ({ socket }) => {
    socket.write(first)
    while (!socket.destroyed) if (!socket.write(block)) await drained(socket)
  }

async function drained(socket: Socket): Promise<void> {
  const gone = new AbortController()
  await Promise.race([
    once(socket, 'drain', { signal: gone.signal }),
    once(socket, 'close', { signal: gone.signal }),
  ]).catch(() => {})
  gone.abort()
}

const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
const blanks = () => Buffer.alloc(256 * mib, ' ')
const user = (id: number) =>
  `{"userId":${id},"firstName":"A","lastName":"B","email":"a@b.c","state":"Active","mfaStatus":true,"mfaAction":true,"roleId":null,"roleName":"M","createdAt":"2025-01-01T00:00:00Z"}`

const oddUser = (id: number) =>
  user(id).replace('{', `{${Array.from({ length: 50 }, (_, field) => `"${id}x${field}":1`).join()},`)

interface Hostile {
  readonly what: string
  /** `token`: the token server's answer, before anything is asked of the tenant. */
  readonly on?: 'users' | 'roles' | 'token'
  readonly fault: () => Fault
  readonly reason: Reason | null
}

const hostile: readonly Hostile[] = [
  { what: 'nothing hostile', fault: () => answer(200, page('[]')), reason: null },
  {
    what: 'an endless body',
    fault: () => endless(head(200, { ...json, 'transfer-encoding': 'chunked' }), chunk),
    reason: 'too_large',
  },
  {
    what: 'an endless body of roles',
    on: 'roles',
    fault: () => endless(head(200, { ...json, connection: 'close' }), chunk),
    reason: 'too_large',
  },
  {
    what: 'an endless error',
    fault: () => endless(head(400, { ...json, connection: 'close' }), chunk),
    reason: 'client_error',
  },
  {
    what: 'an endless redirect',
    fault: () => endless(head(302, { location: '/x', connection: 'close' }), chunk),
    reason: 'redirect',
  },
  {
    what: 'endless headers',
    fault: () => endless('HTTP/1.1 200 OK\r\n', 'x-y: zzzzzzzz\r\n'.repeat(50)),
    reason: 'too_large',
  },
  { what: 'one endless header', fault: () => endless('HTTP/1.1 200 OK\r\nx: ', 'z'.repeat(4096)), reason: 'too_large' },
  {
    what: 'endless trailers',
    fault: () =>
      endless(
        `${head(200, { ...json, 'transfer-encoding': 'chunked' })}2\r\n{}\r\n0\r\n`,
        'x-y: zzzzzzzz\r\n'.repeat(50),
      ),
    reason: 'too_large',
  },
  {
    what: 'a gzip bomb',
    fault: () => answer(200, gzipSync(blanks()), { 'content-encoding': 'gzip' }),
    reason: 'too_large',
  },
  {
    what: 'a gzip bomb of roles',
    on: 'roles',
    fault: () => answer(200, gzipSync(blanks()), { 'content-encoding': 'gzip' }),
    reason: 'too_large',
  },
  {
    what: 'a gzip bomb within gzip',
    fault: () => answer(200, gzipSync(gzipSync(blanks())), { 'content-encoding': 'gzip, gzip' }),
    reason: 'protocol',
  },
  {
    what: 'a brotli bomb',
    fault: () => answer(200, brotliCompressSync(blanks()), { 'content-encoding': 'br' }),
    reason: 'too_large',
  },
  {
    what: 'a deflate bomb',
    fault: () => answer(200, deflateSync(blanks()), { 'content-encoding': 'deflate' }),
    reason: 'too_large',
  },
  {
    what: 'an endless answer of the token server',
    on: 'token',
    fault: () => endless(head(200, { ...json, 'transfer-encoding': 'chunked' }), chunk),
    reason: 'too_large',
  },
  {
    what: 'a gzip bomb of the token server',
    on: 'token',
    fault: () => answer(200, gzipSync(blanks()), { 'content-encoding': 'gzip' }),
    reason: 'too_large',
  },
  {
    what: 'an endless error of the token server',
    on: 'token',
    fault: () => endless(head(400, { ...json, connection: 'close' }), chunk),
    reason: 'unauthorized',
  },
  {
    what: 'an error that is a bomb',
    fault: () => answer(400, gzipSync(blanks()), { 'content-encoding': 'gzip' }),
    reason: 'client_error',
  },
  {
    what: 'a role with empty permissions up to the cap',
    on: 'roles',
    fault: () => answer(200, page(`[{"roleId":1,"permissions":[${'{},'.repeat(900_000)}{}]}]`)),
    reason: null,
  },
  { what: 'nesting of 200,000 levels', fault: () => answer(200, page(deep(200_000))), reason: null },
  { what: 'nesting up to the cap', fault: () => answer(200, page(deep(4 * mib - 200))), reason: 'too_large' },
  {
    what: 'nesting up to the cap of roles',
    on: 'roles',
    fault: () => answer(200, page(deep(16 * mib - 200))),
    reason: 'too_large',
  },
  {
    what: 'a page of 45,000 users',
    fault: () => answer(200, page(`[${Array.from({ length: 45_000 }, (_, id) => user(id)).join()}]`)),
    reason: null,
  },
  { what: 'a page of empty objects up to the cap', fault: () => answer(200, full('{}', 8 * mib)), reason: 'too_large' },
  { what: 'a page of numbers up to the cap', fault: () => answer(200, full('1', 8 * mib)), reason: 'too_large' },
  {
    what: 'roles that are empty objects up to the cap',
    on: 'roles',
    fault: () => answer(200, full('{}', 32 * mib)),
    reason: 'too_large',
  },
  {
    what: 'a page of 900,000 empty objects',
    fault: () => answer(200, page(`[${'{},'.repeat(900_000)}{}]`)),
    reason: 'too_large',
  },
  { what: 'nesting as deep as the values allow', fault: () => answer(200, page(`[${deep(1_900_000)}]`)), reason: null },
  {
    what: 'an unknown field as large as the values allow',
    fault: () => answer(200, page(`[${user(1).replace('{', `{"x":[${'{"a":1},'.repeat(900_000)}1],`)}]`)),
    reason: null,
  },
  {
    what: 'a page of 9,000 users with fifty unknown fields each, no two alike',
    fault: () => answer(200, page(`[${Array.from({ length: 9000 }, (_, id) => oddUser(id)).join()}]`)),
    reason: 'too_large',
  },
  {
    what: 'a page of 1,600 such users',
    fault: () => answer(200, page(`[${Array.from({ length: 1600 }, (_, id) => oddUser(id)).join()}]`)),
    reason: null,
  },
  {
    what: 'roles of one field each, no two alike, up to the values',
    on: 'roles',
    fault: () => answer(200, page(`[${Array.from({ length: 1_900_000 }, (_, id) => `{"${id}":1}`).join()}]`)),
    reason: 'too_large',
  },
  {
    what: 'one record of 600,000 fields',
    fault: () => answer(200, page(`[{${Array.from({ length: 600_000 }, (_, id) => `"k${id}":1`).join()}}]`)),
    reason: 'too_large',
  },
]

it.each(hostile.map((one) => [one.what, one] as const))('%s stays within the bound', async (what, one) => {
  const server = await faultServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const fault = one.fault()
  server.choose = () => fault
  const path = join(temporaryFolder(), 'mirror.db')
  const { stdout } = await run(process.execPath, [child, server.url, path, one.on ?? 'users'])
  const report = JSON.parse(stdout) as MemoryReport
  const { reason, peakMiB, beforeMiB, seconds } = report
  process.stderr.write(`${what}: ${reason ?? 'success'}, peak ${peakMiB} MiB (${beforeMiB} before), ${seconds} s\n`)
  expect(reason).toBe(one.reason)
  expect(peakMiB).toBeLessThan(limitMiB)
})
