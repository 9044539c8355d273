import { getTableColumns, getTableName } from 'drizzle-orm'
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

const time = 'milliseconds'

export const ownViews: readonly OwnView[] = Object.values(recordTables)
  .flatMap((record) => [viewOf(record), ...listViewsOf(record)])
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

function viewOf(record: RecordTable): OwnView {
  const { resource, table, fields, ownTimes = {} } = record
  const name = getTableName(table)
  const stored = (property: string) => columnOf(record, property)
  const shown = [
    ...Object.entries(fields).flatMap(([field, kind]) => {
      const own = { name: field, kind: kinds[kind], stored: stored(field) }
      return kind === 'date' ? [own, { name: `${field}Ms`, kind: time, stored: stored(`${field}Ms`) }] : [own]
    }),
    ...Object.entries(ownTimes).map(([view, own]) => ({
      name: view,
      kind: time,
      stored: stored(own),
    })),
    { name: 'firstSeenAtMs', kind: time, stored: stored('firstSeenAt') },
  ]
  const list = shown.map((column) => `${column.stored} as "${column.name}"`).join(', ')
  return {
    name,
    resource,
    columns: shown.map((column) => ({ name: column.name, kind: column.kind })),
    body: (tenantId) => `select ${list} from main."${name}" where tenant_id = ${tenantId} and removed_at is null`,
  }
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

/** Empty tables are enough to validate a query. */
export function emptyTables(): readonly string[] {
  return Object.values(recordTables).map(({ table }) => {
    const columns = Object.values(getTableColumns(table)).map(({ name }) => `"${name}"`)
    return `create table "${getTableName(table)}" (${columns.join(', ')})`
  })
}
