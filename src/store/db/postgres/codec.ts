/** PostgreSQL cannot store U+0000 in text: it is stored as this character and a 0; this character as itself and a 1. */
const escapeWith = '\u001a'
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped.
const escapable = /[\0\u001a]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const escaped = /\u001a([01])/g

export function encodeText(text: string): string {
  if (!text.includes('\0') && !text.includes(escapeWith)) return text
  return text.replace(escapable, (found) => (found === '\0' ? `${escapeWith}0` : `${escapeWith}1`))
}

export function decodeText(text: string): string {
  return text.includes(escapeWith) ? text.replace(escaped, (_, kind) => (kind === '0' ? '\0' : escapeWith)) : text
}

/** Members of a list are encoded like single parameters. */
export function encodeParameter(value: unknown): unknown {
  if (typeof value === 'string') return encodeText(value)
  // Columns are whole numbers; times may have fractions of a millisecond.
  if (typeof value === 'number') return Math.round(value)
  if (Array.isArray(value)) return value.map(encodeParameter)
  if (typeof value === 'bigint') return String(value)
  return value
}

/** By type OID: numbers as numbers, booleans as 1 and 0, bytea as Buffer. */
export const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => (text === 't' ? 1 : 0),
  20: Number,
  25: decodeText,
  1700: Number,
}
