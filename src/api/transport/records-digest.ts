import { hash } from 'node:crypto'
import { isObject } from '../decode/is-object.ts'
import { parseJson } from './parse-json.ts'

/** Stands for the records where the rest of an answer is read without them; a text that no server sends as its data. */
const placeholder = '\u{10fffe}records'

/** The records of a list answer as sent, told apart from what changes with every answer. */
export interface RecordsDigest {
  readonly digest: string
  /** The text of the answer with an empty list in the place of its records. */
  readonly rest: string
}

/**
 * Digests everything from the first to the last square bracket, if that is what `data` is made of: with the placeholder in
 * its stead the rest must be an envelope that has it as its data. Two such texts with one digest have the same records,
 * so of the second only the rest needs to be parsed.
 *
 * @param body in UTF-8.
 * @param salt tells readings apart that may come to something else for the same text.
 * @returns null when the answer is built otherwise; it must be read whole then.
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
