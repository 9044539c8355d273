import { parseIsoDate } from '../model/dates.ts'
import type { FieldKind, RecordTable, Stored } from './record-table.ts'

/** Columns that hold the API's fields, in the order they are stored and compared. */
export function fieldColumns(table: RecordTable): readonly string[] {
  return Object.entries(table.fields).flatMap(([field, kind]) => (kind === 'date' ? [field, `${field}Ms`] : [field]))
}

/** Turns a record into the stored values of `fieldColumns`, in that order. */
export function encoderOf(table: RecordTable): (fields: Readonly<Record<string, unknown>>) => Stored[] {
  const entries = Object.entries(table.fields)
  return (fields) => {
    const stored: Stored[] = []
    for (const [field, kind] of entries) encodeInto(stored, kind, fields[field])
    return stored
  }
}

function encodeInto(stored: Stored[], kind: FieldKind, value: unknown): void {
  if (value === null || value === undefined) {
    stored.push(null)
    if (kind === 'date') stored.push(null)
    return
  }
  switch (kind) {
    case 'boolean':
      stored.push(value === true ? 1 : 0)
      return
    case 'date':
      stored.push(String(value), parseIsoDate(value)?.ms ?? null)
      return
    case 'integer':
      stored.push(Number(value))
      return
    case 'json':
      stored.push(JSON.stringify(value))
      return
    case 'text':
      stored.push(String(value))
      return
    default:
      throw new TypeError(`Unknown field kind ${kind satisfies never}`)
  }
}

/** Turns a stored value back into what the API sent. */
export function decode(kind: FieldKind, stored: Stored): unknown {
  if (stored === null) return null
  if (kind === 'boolean') return stored === 1
  if (kind === 'json') return JSON.parse(String(stored))
  return stored
}
