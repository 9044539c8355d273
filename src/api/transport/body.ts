import { isUtf8 } from 'node:buffer'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { SyncError } from '../../model/errors.ts'

const decoders: Readonly<Record<string, () => Transform>> = {
  br: createBrotliDecompress,
  deflate: createInflate,
  gzip: createGunzip,
  'x-gzip': createGunzip,
}

export const acceptedEncodings = 'gzip, br'

export type Response = Dispatcher.ResponseData

/** A longer body of an error is not read. */
const maxErrorBytes = 64 * 1024

/** The body in UTF-8 without byte order mark; null if that of an error is unreadable. Throws SyncError. */
export async function readBody(response: Response, maxBytes: number, signal: AbortSignal): Promise<Buffer | null> {
  const { body, headers, statusCode } = response
  const coding = firstOf(headers['content-encoding'])?.trim().toLowerCase() ?? ''
  if (statusCode === 200) return decoded(body, coding, maxBytes)
  try {
    return await decoded(body, coding, maxErrorBytes)
  } catch (thrown) {
    if (signal.aborted) throw thrown
    return null
  }
}

export function firstOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0]
}

async function decoded(body: Readable, coding: string, maxBytes: number): Promise<Buffer> {
  if (coding === '' || coding === 'identity') return insistOnText(await collect(body, maxBytes))
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
  if (decoder === undefined) {
    body.on('error', () => {}).destroy()
    throw new SyncError('protocol', 'The body has a content coding other than gzip, deflate or br')
  }
  return insistOnText(await pipeline(body, decoder(), (chunks: AsyncIterable<Buffer>) => collect(chunks, maxBytes)))
}

/** Copies the chunks into one buffer: a server may send single bytes, and each chunk takes hundreds in memory. */
async function collect(source: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  let bytes = Buffer.alloc(0)
  let size = 0
  for await (const chunk of source) {
    const end = size + chunk.length
    if (end > maxBytes) throw new SyncError('too_large', `The body is larger than ${describeBytes(maxBytes)}`)
    if (end > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(end, bytes.length * 2), maxBytes))
      bytes.copy(larger, 0, 0, size)
      bytes = larger
    }
    chunk.copy(bytes, size)
    size = end
  }
  return bytes.subarray(0, size)
}

const byteOrderMark = Buffer.from('\ufeff')

/** Refuses invalid UTF-8: a lenient decoder would silently change names. */
function insistOnText(bytes: Buffer): Buffer {
  if (!isUtf8(bytes)) throw new SyncError('protocol', 'The body is not UTF-8')
  const isMarked = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)
  return isMarked ? bytes.subarray(byteOrderMark.length) : bytes
}

function describeBytes(bytes: number): string {
  return bytes >= 2 ** 20 ? `${Math.floor(bytes / 2 ** 20)} MiB` : `${bytes} bytes`
}

/** A shorter token may be a word of any answer. */
const shortest = 8

const jsonEscape = /\\(?:u([\da-f]{4})|(["\\/]))/gi

/** True if the body contains the token, as it is or with JSON escapes (docs/internals/sync.md#17-protocol). */
export function echoes(body: Buffer, token: string): boolean {
  if (token.length < shortest) return false
  if (body.includes(token)) return true
  return body.includes('\\') && withoutEscapes(body.toString()).includes(token)
}

function withoutEscapes(text: string): string {
  return text.replace(jsonEscape, (_, hex: string | undefined, sign: string) =>
    hex === undefined ? sign : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
