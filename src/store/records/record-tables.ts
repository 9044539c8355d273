import { getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Field } from '../../model/fields.ts'
import { guidKey } from '../../model/guid.ts'
import { type OwnColumn, type ResourceDefinition, takesUpdatedAfter } from '../../model/resource.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import { resources } from '../../resources/index.ts'
import { mirrored, tableNameOf } from '../schema/mirrored.ts'

/** A date is stored as its text and its milliseconds, a boolean as 0 or 1, json as text. */
export type FieldKind = 'boolean' | 'date' | 'integer' | 'json' | 'text'

export type Stored = string | number | null

export type StoredFields = Readonly<Record<string, Stored>>

export interface Detail {
  readonly states: string
  readonly dependsOn: string
  /** List fields that must equal those of the look-up; otherwise the detail is not stored. */
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
  /** Name of the view for SQL, without the prefix. */
  readonly view: string
  readonly key: string
  readonly keyOf: (id: unknown) => string | number
  /** API field of the key; null for a singleton. */
  readonly idField: string | null
  readonly fields: Readonly<Record<string, FieldKind>>
  readonly own: readonly string[]
  /** The mirror's own times that own checks may read: name in the view, column. */
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
  /** Fields that no check reads, so that two records with one id may differ in them. */
  readonly unread?: readonly string[]
  readonly updatedAfter?: { readonly updated: string; readonly created: string }
  readonly laterWins?: string
  readonly settleNew?: (next: StoredFields, at: number) => StoredFields
  readonly settle?: (next: StoredFields, known: StoredFields, at: number) => StoredFields
  /** False for a change caused by our reading, not by the tenant. */
  readonly isHistory?: (field: string, known: StoredFields) => boolean
}

const storedAs = {
  date: 'date',
  flag: 'boolean',
  guid: 'text',
  integer: 'integer',
  list: 'json',
  text: 'text',
} as const satisfies Readonly<Record<Field['kind'], FieldKind>>

const byName = Object.fromEntries(resources.map((resource) => [resource.name, recordTableOf(resource)]))

export const recordTables = byName as Readonly<Record<ResourceName, RecordTable>>

function recordTableOf(resource: ResourceDefinition): RecordTable {
  const { name, key, idField, counted, laterWins, person } = resource
  const table = mirrored[tableNameOf(resource)]
  if (table === undefined) throw new TypeError(`There is no table of ${name}`)
  const fields = Object.entries<Field>(resource.fields)
  const own = Object.entries<OwnColumn>(resource.own ?? {})
  const named = (isMeant: (field: Field) => boolean) => fields.flatMap(([field, one]) => (isMeant(one) ? [field] : []))
  const detail = detailOf(resource)
  return {
    resource: name,
    table,
    view: resource.view ?? tableNameOf(resource),
    key,
    keyOf: idField === null ? () => 0 : key === idField ? Number : guidKey,
    idField,
    fields: Object.fromEntries(fields.map(([field, { kind }]) => [field, storedAs[kind]])),
    // A change that invalidates the detail also resets its look-up turn.
    own: [...own.map(([column]) => column), ...(detail === null ? [] : ['lookupTurn'])],
    ownTimes: Object.fromEntries(own.flatMap(([column, rule]) => viewOf(rule).map((view) => [view, column]))),
    sinceTimes: own.flatMap(([column, { rule }]) => (rule === 'sinceChangeOf' ? [column] : [])),
    lists: Object.fromEntries(fields.flatMap(listOf)),
    counted,
    personal: named(({ personal }) => personal === true),
    unstated: named((field) => field.kind === 'integer' && field.unstatedInList !== undefined),
    unread: named(({ strict }) => strict !== true),
    ...(detail === null ? {} : { detail }),
    ...(person === undefined ? {} : { person }),
    ...(laterWins === undefined ? {} : { laterWins }),
    ...(takesUpdatedAfter(resource) ? { updatedAfter: resource.updatedAfter } : {}),
    ...ownColumnRules(resource, detail),
  }
}

function viewOf(column: OwnColumn): readonly string[] {
  return column.rule === 'firstOf' || column.view === undefined ? [] : [column.view]
}

function listOf([name, field]: [string, Field]) {
  if (field.kind !== 'list') return []
  const fields = Object.entries<Field>(field.of).map(([member, { kind }]) => [member, storedAs[kind]] as const)
  return [[name, { view: field.view, fields: Object.fromEntries(fields) }] as const]
}

function detailOf(resource: ResourceDefinition): Detail | null {
  if (resource.kind !== 'feed' || resource.lookUp === undefined) return null
  const { states, ifEqual } = resource.lookUp
  const field = resource.fields[states]
  const dependsOn = field?.kind === 'integer' ? field.unstatedInList?.until : undefined
  const [readAt] = Object.entries<OwnColumn>(resource.own ?? {}).find(([, { rule }]) => rule === 'readById') ?? []
  if (dependsOn === undefined || readAt === undefined) {
    throw new TypeError(`${resource.name} looks ${states} up by id, but does not say until when it holds or since when`)
  }
  return { states, dependsOn, ifEqual, readAt }
}

type Settle = NonNullable<RecordTable['settle']>

type Following = readonly [name: string, column: Exclude<OwnColumn, { readonly rule: 'readById' }>]

function ownColumnRules(
  { own = {} }: ResourceDefinition,
  detail: Detail | null,
): Pick<RecordTable, 'settleNew' | 'settle' | 'isHistory'> {
  const columns = Object.entries<OwnColumn>(own).flatMap(([name, column]): Following[] =>
    column.rule === 'readById' ? [] : [[name, column]],
  )
  const settles = [
    ...(columns.length === 0 ? [] : [changed(columns)]),
    ...(detail === null ? [] : [withoutDetail(detail)]),
  ]
  return {
    ...(columns.length === 0 ? {} : { settleNew: created(columns) }),
    ...(settles.length === 0
      ? {}
      : { settle: (...of) => Object.assign({}, ...settles.map((settle) => settle(...of))) }),
    ...(detail === null ? {} : { isHistory: isHistoryBeside(detail) }),
  }
}

function created(columns: readonly Following[]): NonNullable<RecordTable['settleNew']> {
  return (next, at) => {
    const settled: Record<string, Stored> = {}
    for (const [name, column] of columns) {
      if (column.rule === 'firstOf') settled[name] = firstOf(column.dates, next, at)
      // At most `at`: with a time ahead of the clock, the state would seem not to have begun.
      else settled[name] = Math.min(Number(settled[column.from] ?? at), at)
    }
    return settled
  }
}

function changed(columns: readonly Following[]): Settle {
  return (next, known, at) => {
    const settled: Record<string, Stored> = {}
    for (const [name, column] of columns) {
      if (column.rule === 'firstOf') settled[name] = firstOf(column.dates, next, at)
      else {
        const isAsBefore = (next[column.field] === column.is) === (known[column.field] === column.is)
        settled[name] = isAsBefore ? (known[name] ?? at) : at
      }
    }
    return settled
  }
}

function firstOf(dates: readonly string[], next: StoredFields, at: number): number {
  const present = dates.map((date) => next[`${date}Ms`] ?? null).find((ms) => ms !== null)
  return Number(present ?? at)
}

/** A detail from a look-up becomes null when the list field that it depends on changes. */
function withoutDetail({ states, dependsOn }: Detail): Settle {
  return (next, known) => {
    const isWorthless = next[dependsOn] !== known[dependsOn]
    return isWorthless && next[states] === null ? { [states]: null, lookupTurn: null } : {}
  }
}

/** The first look-up adds the detail; only later differences are changes in the tenant. */
function isHistoryBeside({ states, readAt }: Detail): NonNullable<RecordTable['isHistory']> {
  return (field, known) => field !== states || known[readAt] !== null
}

export function apiFields(resource: ResourceName): readonly string[] {
  return Object.keys(recordTables[resource].fields)
}

/** Fields that may name a person or a file, including unspecified ones (`extra`). */
export function personalFields(resource: string): readonly string[] {
  const personal = Object.hasOwn(recordTables, resource) ? recordTables[resource as ResourceName].personal : []
  return [...personal, 'extra']
}

export function columnOf({ table, resource }: Pick<RecordTable, 'table' | 'resource'>, property: string): string {
  const column = getTableColumns(table)[property]
  if (column === undefined) throw new TypeError(`${resource} has no field ${property}`)
  return `"${column.name}"`
}

export function leastKey({ keyOf }: RecordTable): string | number {
  return typeof keyOf(0) === 'number' ? Number.MIN_SAFE_INTEGER - 1 : ''
}
