import { isoMs } from '../../model/dates.ts'
import type { FieldKind, RecordTable, Stored } from './record-tables.ts'

export function fieldColumns(table: RecordTable): readonly string[] {
  return Object.entries(table.fields).flatMap(([field, kind]) => (kind === 'date' ? [field, `${field}Ms`] : [field]))
}

/** Encodes a record as `columns` values: those of `fieldColumns` in their order, then nulls. */
export function encoderOf(
  table: RecordTable,
  columns: number,
): (fields: Readonly<Record<string, unknown>>) => Stored[] {
  const names = Object.keys(table.fields)
  const kinds = Object.values(table.fields)
  return (fields) => {
    const row = new Array<Stored>(columns).fill(null)
    let at = 0
    for (let i = 0; i < names.length; i++) {
      const value = fields[names[i] ?? '']
      const kind = kinds[i] ?? 'text'
      row[at++] = encode(kind, value)
      if (kind === 'date') row[at++] = isoMs(value)
    }
    return row
  }
}

function encode(kind: FieldKind, value: unknown): Stored {
  if (value === null || value === undefined) return null
  switch (kind) {
    case 'boolean':
      return value === true ? 1 : 0
    case 'integer':
      return Number(value)
    case 'json':
      return JSON.stringify(value)
    case 'date':
    case 'text':
      return String(value)
    default:
      throw new TypeError(`Unknown field kind ${kind satisfies never}`)
  }
}

export function decode(kind: FieldKind, stored: Stored): unknown {
  if (stored === null) return null
  if (kind === 'boolean') return stored === 1
  if (kind === 'json') return JSON.parse(String(stored))
  return stored
}

/** @throws TypeError when `text` is not a word that this version knows. */
export function oneOf<const T extends string>(list: readonly T[], text: string): T {
  const found = list.find((item) => item === text)
  if (found === undefined) throw new TypeError(`The mirror contains "${text}", which this version does not know`)
  return found
}
