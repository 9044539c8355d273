import { getTableName } from 'drizzle-orm'
import { getTableConfig, type Index, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { ResourceName } from '../../model/resource-names.ts'
import { columnOf, type FieldKind, type RecordTable, recordTables } from '../records/record-tables.ts'

export interface ViewColumn {
  readonly name: string
  readonly kind: string
}

export interface OwnView {
  readonly name: string
  readonly resource: ResourceName
  readonly columns: readonly ViewColumn[]
  /** A select over the mirror's tables, into which `tenantId` is inserted. */
  body(tenantId: number): string
}

const kinds: Readonly<Record<FieldKind, string>> = {
  boolean: '1 or 0',
  date: 'text, as sent',
  integer: 'integer',
  json: 'JSON text',
  text: 'text',
}

const guidKind = 'text, a GUID in lower case'
const time = 'milliseconds'

export const ownViews: readonly OwnView[] = Object.values(recordTables)
  .flatMap((record) => [viewOf(record), ...listViewsOf(record)])
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

function viewOf(record: RecordTable): OwnView {
  const { resource, table } = record
  const name = getTableName(table)
  const shown = shownColumns(record)
  const list = shown.map((column) => `${column.stored} as "${column.name}"`).join(', ')
  return {
    name,
    resource,
    columns: shown.map((column) => ({ name: column.name, kind: column.kind })),
    body: (tenantId) => `select ${list} from main."${name}" where tenant_id = ${tenantId} and removed_at is null`,
  }
}

function shownColumns(record: RecordTable) {
  const { fields, ownTimes = {}, key, idField } = record
  const stored = (property: string) => columnOf(record, property)
  return [
    ...Object.entries(fields).flatMap(([field, kind]) => {
      // As in findings of other checks, regardless of the letter case of GUIDs.
      const isGuid = field === idField && key !== idField
      const own = { name: field, kind: isGuid ? guidKind : kinds[kind], stored: stored(isGuid ? key : field) }
      return kind === 'date' ? [own, { name: `${field}Ms`, kind: time, stored: stored(`${field}Ms`) }] : [own]
    }),
    ...Object.entries(ownTimes).map(([view, own]) => ({
      name: view,
      kind: time,
      stored: stored(own),
    })),
    { name: 'firstSeenAtMs', kind: time, stored: stored('firstSeenAt') },
  ]
}

function listViewsOf(record: RecordTable): OwnView[] {
  const { resource, table, idField, fields: own, lists = {} } = record
  const id = idField ?? record.key
  return Object.entries(lists).map(([list, { view, fields }]) => {
    const members = Object.keys(fields).map((field) => `json_extract(p.value, '$.${field}') as "${field}"`)
    return {
      name: view,
      resource,
      columns: [
        { name: id, kind: kinds[own[id] ?? 'integer'] },
        ...Object.entries(fields).map(([name, kind]) => ({ name, kind: kinds[kind] })),
      ],
      body: (tenantId) => `
        select r.${columnOf(record, id)} as "${id}", ${members.join(', ')}
        from main."${getTableName(table)}" r, json_each(r.${columnOf(record, list)}) p
        where r.tenant_id = ${tenantId} and r.removed_at is null`,
    }
  })
}

/** A table of the mirror with the columns and indexes that the views read. */
export interface SnapshotTable {
  readonly resource: ResourceName
  readonly name: string
  /** Without record id, tenant and removal. */
  readonly columns: readonly string[]
  /** The tenant of every row is `tenantId`. */
  create(tenantId: number): string
  readonly indexes: readonly string[]
}

export const snapshotTables: readonly SnapshotTable[] = Object.values(recordTables).map((record) => {
  const { resource, table } = record
  const { name, columns, indexes } = getTableConfig(table)
  const shown = new Set(shownColumns(record).map(({ stored }) => stored))
  const kept = columns.filter((column) => shown.has(`"${column.name}"`))
  const typed = kept.map((column) => `"${column.name}" ${column.getSQLType()}`)
  return {
    resource,
    name,
    columns: kept.map((column) => column.name),
    create: (tenantId) =>
      `create table "${name}" (rid integer primary key, tenant_id integer default ${tenantId}, removed_at integer, ${typed.join(', ')})`,
    indexes: indexes.flatMap(({ config }) => indexOf(name, config.columns, kept)),
  }
})

/** Indexes without the tenant's id, if all their columns are present. */
function indexOf(table: string, parts: Index['config']['columns'], kept: readonly SQLiteColumn[]): string[] {
  const [, ...columns] = parts.map((part) => ('name' in part ? part.name : null))
  if (columns.length === 0 || !columns.every((column) => kept.some(({ name }) => name === column))) return []
  const name = `${table}_${columns.join('_')}`
  return [`create index "${name}" on "${table}" (tenant_id, ${columns.join(', ')}) where removed_at is null`]
}
