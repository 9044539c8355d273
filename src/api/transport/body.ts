import { isUtf8 } from 'node:buffer'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { SyncError } from '../../model/errors.ts'

const decoders: Readonly<Record<string, () => Transform>> = {
  br: createBrotliDecompress,
  deflate: createInflate,
  gzip: createGunzip,
  'x-gzip': createGunzip,
}

export const acceptedEncodings = 'gzip, br'

/**
 * The body in UTF-8 without byte order mark; stops at `maxBytes` of decoded text.
 *
 * @throws SyncError `too_large` above the cap, `protocol` for an unknown encoding or no UTF-8.
 */
export async function readBody(body: Readable, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  const coding = encoding?.trim().toLowerCase() ?? ''
  if (coding === '' || coding === 'identity') return insistOnText(await collect(body, maxBytes))
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
  if (decoder === undefined) {
    body.on('error', () => {}).destroy()
    throw new SyncError('protocol', 'The body has a content coding other than gzip, deflate or br')
  }
  return insistOnText(await pipeline(body, decoder(), (decoded: AsyncIterable<Buffer>) => collect(decoded, maxBytes)))
}

async function collect(source: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > maxBytes) throw new SyncError('too_large', `The body is larger than ${describeBytes(maxBytes)}`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

const byteOrderMark = Buffer.from('\ufeff')

/** A lenient decoder would change names silently. */
function insistOnText(bytes: Buffer): Buffer {
  if (!isUtf8(bytes)) throw new SyncError('protocol', 'The body is not UTF-8')
  const isMarked = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)
  return isMarked ? bytes.subarray(byteOrderMark.length) : bytes
}

function describeBytes(bytes: number): string {
  return bytes >= 2 ** 20 ? `${Math.floor(bytes / 2 ** 20)} MiB` : `${bytes} bytes`
}
