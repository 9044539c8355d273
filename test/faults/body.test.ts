import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { it } from 'vitest'
import { type FaultCase, type HarmlessCase, named, proveFault, proveHarmless } from './support/fault-case.ts'
import * as wire from './support/wire.ts'

const mib = 2 ** 20
const coded = (coding: string, bytes: (body: Buffer) => Buffer) => wire.changed(bytes, { 'content-encoding': coding })
const br = (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })
/** Valid JSON after the given number of blanks. */
const padded = (bytes: number) => (body: Buffer) => Buffer.concat([Buffer.alloc(bytes, ' '), body])
const once = { modes: ['full'], requests: 1 } as const
const text = (body: string | Buffer) => wire.answer(200, body)
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** Unpacking takes seconds on a busy machine. */
const patient = { settings: { api: { timeoutMs: 60_000 } } }

const faults: readonly FaultCase[] = [
  {
    id: 'B1',
    what: 'a compression bomb',
    on: 'api-clients',
    scene: patient,
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
    scene: patient,
    ...once,
    reason: 'too_large',
    fault: coded('gzip', (body) => gzipSync(padded(33 * mib)(body))),
  },
  {
    id: 'B1',
    what: 'a bomb within a bomb',
    on: 'documents',
    scene: patient,
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
    what: 'a larger size than that of its bytes',
    on: 'documents',
    requests: 1,
    reason: 'too_large',
    family: () => ({
      'two million values': records(`${'1,'.repeat(2_000_000)}1`),
      'two million levels': records(deep(2_000_001)),
      'a hundred thousand records': records(`${'{},'.repeat(100_000)}{}`),
      'a hundred thousand names of fields': records(Array.from({ length: 100_001 }, (_, id) => `{"n${id}":1}`).join()),
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
    id: 'B7',
    what: 'text that the words of a parser would quote',
    on: 'api-clients',
    requests: 1,
    reason: 'protocol',
    family: () => ({
      'a bare word': text(wire.bodyCanary),
      'a bare word for a value': text(`{"data": ${wire.bodyCanary}}`),
      'a comma too much': text(`{"x":"${wire.bodyCanary}",}`),
      'a line break in a text': text(`["${wire.bodyCanary}\n"]`),
      'an escape that is none': text(`["${wire.bodyCanary}\\q"]`),
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
    modes: ['full'],
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
