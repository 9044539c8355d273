import { getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ResourceName } from '../../model/resource-names.ts'

/** A date is stored as its text and its milliseconds, a boolean as 0 or 1, json as text. */
export type FieldKind = 'boolean' | 'date' | 'integer' | 'json' | 'text'

export type Stored = string | number | null

export type StoredFields = Readonly<Record<string, Stored>>

/** A field that only a look-up by id returns. */
export interface Detail {
  readonly states: string
  /** List field whose change invalidates the detail. */
  readonly hangsOn: string
  /** List fields that must equal the look-up's, or the detail is not stored. */
  readonly ifEqual: readonly string[]
  readonly readAt: string
}

export interface ListView {
  readonly view: string
  readonly fields: Readonly<Record<string, FieldKind>>
}

export interface RecordTable {
  readonly resource: ResourceName
  readonly table: SQLiteTable
  readonly key: string
  readonly keyOf: (id: unknown) => string | number
  /** API field of the key; null for a singleton. */
  readonly idField: string | null
  readonly fields: Readonly<Record<string, FieldKind>>
  readonly own: readonly string[]
  /** Own times that own checks may read: name in the view, column. */
  readonly ownTimes?: Readonly<Record<string, string>>
  readonly sinceTimes?: readonly string[]
  readonly lists?: Readonly<Record<string, ListView>>
  /** Groups of fields whose counts are stored, so that frequent counts read no records; at least one. */
  readonly counted: readonly (readonly string[])[]
  /** Fields that name a person or that a person wrote; erased from a tombstone past the retention. */
  readonly personal: readonly string[]
  /** Fields whose null in a list means unknown and never overwrites a value. */
  readonly unstated?: readonly string[]
  readonly detail?: Detail
  readonly person?: { readonly email: string; readonly createdAt: string }
  /** Fields that no check reads: two records with one id may differ in them. */
  readonly unread?: readonly string[]
  readonly updatedAfter?: { readonly updated: string; readonly created: string }
  /** Date by which the later of two records with one id wins. */
  readonly laterWins?: string
  readonly settleNew?: (next: StoredFields, at: number) => StoredFields
  readonly settle?: (next: StoredFields, known: StoredFields, at: number) => StoredFields
  /** False for a change caused by our reading, not by the tenant. */
  readonly isHistory?: (field: string, known: StoredFields) => boolean
}

/** @throws TypeError when the table has no such column. */
export function columnOf({ table, resource }: Pick<RecordTable, 'table' | 'resource'>, property: string): string {
  const column = getTableColumns(table)[property]
  if (column === undefined) throw new TypeError(`${resource} has no field ${property}`)
  return `"${column.name}"`
}

/** A value that sorts before every key of the table. */
export function leastKey({ keyOf }: RecordTable): string | number {
  return typeof keyOf(0) === 'number' ? Number.MIN_SAFE_INTEGER - 1 : ''
}

/** GUIDs differ in letter case between answers; any other id is compared as sent. */
export function guidKey(id: unknown): string {
  const text = String(id)
  return /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : text
}
