import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { type FaultCase, type HarmlessCase, named, proveFault, proveHarmless } from './support/fault-case.ts'
import { assertMirrored, checksOf, resourceAt, startScene } from './support/scene.ts'
import * as wire from './support/wire.ts'

const mib = 2 ** 20
const coded = (coding: string, bytes: (body: Buffer) => Buffer) => wire.changed(bytes, { 'content-encoding': coding })
const br = (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })
/** Valid JSON in front of which stand so many blanks. */
const padded = (bytes: number) => (body: Buffer) => Buffer.concat([Buffer.alloc(bytes, ' '), body])
const once = { modes: ['sweep'], requests: 1 } as const
const text = (body: string | Buffer) => wire.answer(200, body)
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

const faults: readonly FaultCase[] = [
  {
    id: 'B1',
    what: 'a compression bomb',
    on: 'api-clients',
    ...once,
    reason: 'too_large',
    family: () => ({
      gzip: coded('gzip', (body) => gzipSync(padded(16 * mib)(body))),
      deflate: coded('deflate', (body) => deflateSync(padded(16 * mib)(body))),
      brotli: coded('br', (body) => br(padded(16 * mib)(body))),
    }),
  },
  {
    id: 'B1',
    what: 'a bomb on roles, which may be larger',
    on: 'roles',
    ...once,
    reason: 'too_large',
    fault: coded('gzip', (body) => gzipSync(padded(33 * mib)(body))),
  },
  {
    id: 'B1',
    what: 'a bomb within a bomb',
    on: 'documents',
    requests: 1,
    reason: 'protocol',
    family: () => ({
      'gzip twice': coded('gzip, gzip', (body) => gzipSync(gzipSync(padded(16 * mib)(body)))),
      'gzip in brotli': coded('gzip, br', (body) => br(gzipSync(body))),
    }),
  },
  {
    id: 'B2',
    what: 'a body over the cap',
    ...once,
    reason: 'too_large',
    fault: wire.changed(padded(2 * mib)),
    scene: { settings: { api: { maxBodyBytes: mib } } },
  },
  {
    id: 'B2',
    what: 'more of it than its bytes tell',
    on: 'documents',
    requests: 1,
    reason: 'too_large',
    family: () => ({
      'two million values': records(`${'1,'.repeat(2_000_000)}1`),
      'two million levels': records(deep(2_000_001)),
      'a hundred thousand records': records(`${'{},'.repeat(100_000)}{}`),
    }),
  },
  {
    id: 'B3',
    what: 'bytes that are not UTF-8',
    requests: 1,
    reason: 'protocol',
    family: () => ({
      'a lone 0xff': wire.changed((body) => insertAfter(body, '"firstName":"', [0xff])),
      'an overlong slash': wire.changed((body) => insertAfter(body, '"firstName":"', [0xc0, 0xaf])),
      'half a surrogate pair': wire.changed((body) => insertAfter(body, '"firstName":"', [0xed, 0xa0, 0x80])),
    }),
  },
  {
    id: 'B4',
    what: 'a text that is no envelope',
    on: 'documents',
    requests: 1,
    reason: 'protocol',
    family: () => ({
      nothing: text(''),
      blanks: text('  \n'),
      null: text('null'),
      'an array': text('[]'),
      'a string': text(`"${wire.bodyCanary}"`),
      'a number': text('5'),
      'no JSON': text(`{"data": ${wire.bodyCanary}`),
      'something behind it': wire.changed((body) => Buffer.concat([body, Buffer.from('x')])),
      'two envelopes': wire.changed((body) => Buffer.concat([body, body])),
      'a NUL before it': wire.changed((body) => Buffer.concat([Buffer.from([0]), body])),
    }),
  },
  {
    id: 'B5',
    what: 'nesting 200,000 levels deep',
    on: 'roles',
    requests: 1,
    reason: 'protocol',
    family: () => ({
      'for an envelope': text(deep(200_000)),
      'never closed': text('{"data":['.repeat(200_000)),
      'for data': wire.changed((body) =>
        Buffer.from(`{"data":{"x":${deep(200_000)}},${body.subarray(body.indexOf('"pagination"'))}`),
      ),
    }),
  },
  {
    id: 'B8',
    what: 'another encoding of text',
    on: 'authentication-settings',
    requests: 1,
    reason: 'protocol',
    family: () => ({
      'UTF-16': wire.changed((body) => Buffer.from(body.toString(), 'utf16le')),
      'UTF-16 with its mark': wire.changed((body) => Buffer.from(`\ufeff${body}`, 'utf16le')),
      'UTF-32': wire.changed((body) => Buffer.from([...body].flatMap((byte) => [byte, 0, 0, 0]))),
    }),
  },
  {
    id: 'B9',
    what: 'a content coding that is not to be read',
    on: 'permissions',
    requests: 1,
    reason: 'protocol',
    family: () => ({
      'nobody asked for': coded('zstd', (body) => zstdCompressSync(body)),
      'that is none': coded('gzip', (body) => body),
      'with a bit turned': coded('gzip', (body) => turned(gzipSync(body))),
      'named like a member of objects': coded('__proto__', (body) => body),
    }),
  },
  {
    id: 'B9',
    what: 'a compressed body cut short',
    on: 'documents',
    modes: ['sweep'],
    reason: 'network',
    fault: coded('gzip', (body) => gzipSync(body).subarray(0, 90)),
  },
  {
    id: 'B10',
    what: 'numbers that JSON does not have',
    requests: 1,
    reason: 'protocol',
    family: () => ({
      NaN: wire.changed((body) => replaced(body, /"userId":\d+/, '"userId":NaN')),
      Infinity: wire.changed((body) => replaced(body, /"userId":\d+/, '"userId":Infinity')),
      hexadecimal: wire.changed((body) => replaced(body, /"userId":\d+/, '"userId":0x10')),
    }),
  },
]

it.each(named(faults))('%s ends the run, and nothing of it is kept', (_, row) => proveFault(row))

const harmless: readonly HarmlessCase[] = [
  { id: 'B4', what: 'a byte order mark', fault: wire.changed((body) => Buffer.concat([Buffer.from('\ufeff'), body])) },
  {
    id: 'B4',
    what: 'blanks around the envelope',
    on: 'documents',
    fault: wire.changed((body) => Buffer.from(`\r\n\t ${body} \n`)),
  },
  {
    id: 'B6',
    what: 'a key that comes twice',
    fault: wire.changed((body) => Buffer.from(`{"data":null,${body.subarray(1)}`)),
  },
  {
    id: 'B8',
    what: 'a wrong name of the encoding',
    on: 'roles',
    fault: wire.changed((body) => body, { 'content-type': 'application/json; charset=utf-16' }),
  },
  { id: 'B9', what: 'gzip', on: 'documents', fault: coded('gzip', (body) => gzipSync(body)) },
  { id: 'B9', what: 'brotli', on: 'api-clients', fault: coded('br', br) },
  {
    id: 'B9',
    what: 'deflate nobody asked for',
    on: 'permissions',
    fault: coded('deflate', (body) => deflateSync(body)),
  },
]

it.each(named(harmless))('%s is read', (_, row) => proveHarmless(row))

it.each([
  ['B5 nesting of 200,000 levels', deep(200_000)],
  ['B10 an id beyond safe integers', '9007199254740993'],
  ['B10 an id beyond all numbers', '1e400'],
  ['B10 an id that is a fraction', '1.5'],
  ['B10 an id below zero', '-1'],
  ['B10 an id that is a text', '"1"'],
])('%s puts one record aside, and the rest is read while nothing passes', async (_, id) => {
  const scene = await startScene()
  const { test, server } = scene
  await scene.cycle()
  const before = test.query('select * from users')
  const fault = wire.changed((body) => replaced(body, /"userId":\d+/, `"userId":${id}`))
  server.choose = ({ path, query }) => (resourceAt(path) === 'users' && !query.has('cursor') ? fault : undefined)
  const { outcome, counts } = await test.run('users', 'sweep')
  expect([outcome, counts.removed]).toEqual(['success', 0])
  expect(test.query('select count(*) as n from quarantine')).toEqual([{ n: 1 }])
  expect(test.query('select * from users')).toEqual(before)
  await scene.judge()
  const statuses = await scene.stored()
  for (const check of checksOf('users')) expect([check, statuses[check]]).not.toEqual([check, 'pass'])
  server.choose = () => undefined
  await scene.cycle()
  expect(test.query('select count(*) as n from quarantine')).toEqual([{ n: 0 }])
  await assertMirrored(scene)
  scene.assertManners()
})

it('B2 a record of more than a thousand unknown fields is put aside', async () => {
  const scene = await startScene()
  const { test, server } = scene
  const fields = Array.from({ length: 1001 }, (_, field) => `"field${field}":1`).join()
  server.choose = ({ path, query }) =>
    resourceAt(path) === 'users' && !query.has('cursor')
      ? wire.changed((body) => replaced(body, /"userId"/, `${fields},"userId"`))
      : undefined
  expect((await test.run('users', 'sweep')).outcome).toBe('success')
  expect(test.query('select problem from quarantine')).toEqual([
    { problem: 'More than 1000 unknown fields in one object' },
  ])
  expect(test.query('select count(*) as n from users')).toEqual([{ n: 19 }])
  scene.assertManners()
})

it('B2 an unknown field of more than a hundred thousand members is kept as a note', async () => {
  const scene = await startScene()
  const { test, server } = scene
  server.choose = ({ path }) =>
    resourceAt(path) === 'documents'
      ? wire.changed((body) => replaced(body, /"fileId"/, `"large":[${'1,'.repeat(100_000)}1],"fileId"`))
      : undefined
  expect((await test.run('documents', 'sweep')).outcome).toBe('success')
  const [row] = test.query('select max(length(extra)) as n from documents')
  expect(Number(row?.['n'])).toBeLessThan(100)
  scene.assertManners()
})

it('B5 an unknown field nested 200,000 levels deep spoils no record', async () => {
  const scene = await startScene()
  const { test, server } = scene
  server.choose = ({ path }) =>
    resourceAt(path) === 'users'
      ? wire.changed((body) => replaced(body, /"userId"/, `"deep":${deep(200_000)},"userId"`))
      : undefined
  expect((await test.run('users', 'sweep')).outcome).toBe('success')
  expect(test.query('select count(*) as n from users')).toEqual([{ n: 20 }])
  expect(test.query('select count(*) as n from quarantine')).toEqual([{ n: 0 }])
  scene.assertManners()
})

function records(text: string) {
  return wire.changed((body) => Buffer.from(`{"data":[${text}],${body.subarray(body.lastIndexOf('"pagination"'))}`))
}

function insertAfter(body: Buffer, mark: string, bytes: readonly number[]): Buffer {
  const at = body.indexOf(mark) + mark.length
  return Buffer.concat([body.subarray(0, at), Buffer.from(bytes), body.subarray(at)])
}

function replaced(body: Buffer, what: RegExp, by: string): Buffer {
  return Buffer.from(body.toString().replace(what, () => by))
}

function turned(bytes: Buffer): Buffer {
  const at = bytes.length >> 1
  bytes[at] = (bytes[at] ?? 0) ^ 0x10
  return bytes
}
