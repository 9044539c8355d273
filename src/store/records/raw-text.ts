import { createHash } from 'node:crypto'

const maxLength = 64 * 1024

/** ECMAScript's `JSON.rawJSON`, missing in the type library: `JSON.stringify` writes its text unchanged. */
const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown }

/** JSON that parses to the same value: numbers out of a double's range parse as infinite and would become null. */
function wholeText(raw: unknown): string {
  const infinite = (value: unknown) => value === Infinity || value === -Infinity
  return (
    JSON.stringify(raw, (_, value) => (infinite(value) ? rawJSON(value > 0 ? '1e400' : '-1e400') : value)) ?? 'null'
  )
}

/** The stored part of a raw record. */
export function rawText(raw: unknown): string {
  return wholeText(raw).slice(0, maxLength)
}

/** Prefix of the keys of records whose id cannot be read. */
export const unidentifiedPrefix = '?'

export function unidentifiedKey(raw: unknown): string {
  return `${unidentifiedPrefix}${createHash('sha256').update(wholeText(raw)).digest('hex').slice(0, 32)}`
}
