import { hash } from 'node:crypto'
import { isObject } from '../decode/is-object.ts'
import { parseJson } from './parse-json.ts'

/** Replaces the records while the rest is parsed; no server sends this text. */
const placeholder = '\u{10fffe}records'

export interface RecordsDigest {
  readonly digest: string
  readonly rest: string
}

/**
 * Digest of a list, so that an unchanged one is not parsed again; null when the answer has another structure. The rest
 * with the placeholder must be an envelope with it as `data`. `salt` separates different decoders.
 */
export function recordsDigest(body: Buffer, salt: string): RecordsDigest | null {
  const start = body.indexOf('[')
  const end = body.lastIndexOf(']') + 1
  if (start === -1 || end <= start) return null
  const [before, after] = [body.toString('utf8', 0, start), body.toString('utf8', end)]
  const envelope = parseJson(`${before}"${placeholder}"${after}`)
  if (!isObject(envelope) || envelope['data'] !== placeholder) return null
  return { digest: `${salt} ${hash('sha256', body.subarray(start, end), 'base64url')}`, rest: `${before}[]${after}` }
}
