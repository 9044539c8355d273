import { hash } from 'node:crypto'
import type { RowMode } from '../db.ts'

/** A statement as the driver takes it. */
export interface Query {
  /** Each connection prepares the text once, under this name. */
  readonly name?: string
  readonly text: string
  readonly values?: unknown[]
  readonly rowMode?: 'array'
}

/** A text without parameters may be several statements. @throws TypeError when a parameter has no value. */
export function queryOf(
  { name, text, slots }: ReturnType<typeof translate>,
  params: readonly unknown[],
  mode: RowMode,
): Query {
  const query: Query = { text, ...(mode !== 'objects' && { rowMode: 'array' }) }
  if (slots.length === 0) return query
  const named = params.at(-1) as Readonly<Record<string, unknown>> | undefined
  const values = slots.map((slot) => {
    const value = typeof slot === 'number' ? params[slot] : named?.[slot]
    if (value === undefined) throw new TypeError(`No value for parameter ${slot} of: ${text}`)
    return encodeParameter(value)
  })
  return { ...query, name, values }
}

/** A string, quoted name or comment, which stays unchanged, or a placeholder. */
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\?|@([A-Za-z_]\w*)/g

/** Replaces `?` and `@name` with `$1`, `$2` and so on; a name always has the same number. */
export function translate(text: string) {
  /** For `$1` and so on: index of a positional parameter, or member of the object after them. */
  const slots: (number | string)[] = []
  let positional = 0
  const translated = text.replace(token, (found: string, name?: string) => {
    if (name !== undefined) {
      const known = slots.indexOf(name)
      return `$${known < 0 ? slots.push(name) : known + 1}`
    }
    return found === '?' ? `$${slots.push(positional++)}` : found
  })
  // Equal in every process: with a pooler, another process may have prepared statements on the same connection.
  return { name: `tenantwatch_${hash('sha256', text).slice(0, 20)}`, text: translated, slots }
}

/** PostgreSQL cannot store U+0000 in text: it is stored as this character and a 0; this character as itself and a 1. */
const escapeWith = '\u001a'
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped.
const escapable = /[\0\u001a]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const escaped = /\u001a([01])/g

/** Members of a list are encoded like single parameters. */
export function encodeParameter(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(escapable, (found) => (found === '\0' ? `${escapeWith}0` : `${escapeWith}1`))
  // Columns are whole numbers; times may have fractions of a millisecond.
  if (typeof value === 'number') return Math.round(value)
  if (Array.isArray(value)) return value.map(encodeParameter)
  return value
}

function decodeText(text: string): string {
  return text.includes(escapeWith) ? text.replace(escaped, (_, kind) => (kind === '0' ? '\0' : escapeWith)) : text
}

/** By type OID: numbers as numbers, booleans as 1 and 0, bytea as Buffer. */
export const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => (text === 't' ? 1 : 0),
  20: Number,
  25: decodeText,
  1700: Number,
}
