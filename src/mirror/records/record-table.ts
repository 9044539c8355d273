import { getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ResourceName } from '../../model/resource-names.ts'

/** How a field is stored: a date as its text and its milliseconds, a boolean as 0 or 1, json as text. */
export type FieldKind = 'boolean' | 'date' | 'integer' | 'json' | 'text'

export type Stored = string | number | null

/** Stored values by column property: the API's names, `<date>Ms`, and the mirror's own columns. */
export type StoredFields = Readonly<Record<string, Stored>>

/** The field that only an answer by id states. */
export interface Detail {
  readonly states: string
  /** The field of the list whose change makes what is known of it worthless. */
  readonly hangsOn: string
  /** It is supplied only where the answer agrees with the list in these. */
  readonly ifEqual: readonly string[]
  /** Column that says when it was supplied. */
  readonly readAt: string
}

/** How own checks see a list within a record: one row a member, beside the id of the record. */
export interface ListView {
  readonly view: string
  readonly fields: Readonly<Record<string, FieldKind>>
}

/** How the records of one resource lie in their table; what the generic writing and reading needs to know. */
export interface RecordTable {
  readonly resource: ResourceName
  readonly table: SQLiteTable
  /** Column that identifies a record within its tenant. */
  readonly key: string
  /** The key of a record, from its fields or from an id alone. */
  readonly keyOf: (id: unknown) => string | number
  /** The API field the key is made of; null for the one object of a tenant. */
  readonly idField: string | null
  /** The API's fields in its own order. */
  readonly fields: Readonly<Record<string, FieldKind>>
  /** Columns of the mirror beside the API's fields. */
  readonly own: readonly string[]
  /** Times among them that own checks may read: name in the view and column. */
  readonly ownTimes?: Readonly<Record<string, string>>
  /** Times among them since when something is as it is. */
  readonly sinceTimes?: readonly string[]
  /** Fields that are lists of objects, with the fields of those. */
  readonly lists?: Readonly<Record<string, ListView>>
  /** Fields by whose values live records are counted together: what is asked for often and must not grow with them. At least one list. */
  readonly counted: readonly (readonly string[])[]
  /** Fields that name a person or what a person wrote; erased when a tombstone outlives the retention. */
  readonly personal: readonly string[]
  /** Fields whose null in a list says nothing and never overwrites a known value. */
  readonly unstated?: readonly string[]
  /** What an answer by id supplies. */
  readonly detail?: Detail
  /** The fields by which a person is recognized in another list: an e-mail and a date. */
  readonly person?: { readonly email: string; readonly createdAt: string }
  /** Fields that no check reads: two records with one id may differ in them. */
  readonly unread?: readonly string[]
  /** The dates that the query parameter `updatedAfter` compares. */
  readonly updatedAfter?: { readonly updated: string; readonly created: string }
  /** Date field by which the later of two records with one id wins. */
  readonly laterWins?: string
  /** Works out the mirror's own columns of a record that is new. */
  readonly settleNew?: (next: StoredFields, at: number) => StoredFields
  /** Works out the mirror's own columns, and corrections, when a record is changed. */
  readonly settle?: (next: StoredFields, known: StoredFields, at: number) => StoredFields
  /** False for a change that tells of our reading, not of the tenant. */
  readonly isHistory?: (field: string, known: StoredFields) => boolean
}

/**
 * The column of a field, a date's milliseconds or the mirror's own, quoted for SQL.
 *
 * @throws TypeError where the table has none.
 */
export function columnOf({ table, resource }: Pick<RecordTable, 'table' | 'resource'>, property: string): string {
  const column = getTableColumns(table)[property]
  if (column === undefined) throw new TypeError(`${resource} has no field ${property}`)
  return `"${column.name}"`
}

/** A value that comes before every key of a table, to read it in the order of its keys from the beginning. */
export function leastKey({ keyOf }: RecordTable): string | number {
  return typeof keyOf(0) === 'number' ? Number.MIN_SAFE_INTEGER - 1 : ''
}

/** GUIDs differ in letter case between answers; any other id is compared as sent. */
export function guidKey(id: unknown): string {
  const text = String(id)
  return /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : text
}
