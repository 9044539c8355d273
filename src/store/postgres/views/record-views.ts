import { getTableName } from 'drizzle-orm'
import { columnOf, type FieldKind, type RecordTable, recordTables } from '../../records/record-tables.ts'
import { asJsonb, bigint, boolean, json, type SqlColumn, type SqlView, tenantColumn, text, time } from './view.ts'

/** The live records of each resource, by the fields of its descriptor. */
export const recordViews: readonly SqlView[] = Object.values(recordTables).flatMap((record) => [
  viewOf(record),
  ...listViewsOf(record),
])

function liveRecords(record: RecordTable, members = ''): string {
  return `"${getTableName(record.table)}" r join tenants t on t.id = r.tenant_id${members} where r.removed_at is null`
}

function viewOf(record: RecordTable): SqlView {
  const { resource, view, fields, ownTimes = {} } = record
  const stored = (property: string) => `r.${columnOf(record, property)}`
  const own = Object.entries(fields).map(([field, kind]) => fieldColumn(field, kind, stored))
  const times = Object.entries(ownTimes).map(([own, property]) => {
    const name = snakeCase(own.replace(/Ms$/, ''))
    return time(name, stored(property), `\`${own}\` of [own checks](own-checks.md#the-views)`)
  })
  return {
    name: `tenantwatch_${view}`,
    rows: `a record of \`${resource}\` that the tenant has; removed ones are left out`,
    columns: [
      tenantColumn('t.name'),
      ...own,
      ...times,
      time('first_seen_at', stored('firstSeenAt'), 'when the record was first mirrored'),
      time(
        'missing_since',
        stored('missingSince'),
        'since when full syncs do not return it; its removal is not confirmed',
      ),
    ],
    from: liveRecords(record),
    excludesRows: true,
  }
}

function fieldColumn(field: string, kind: FieldKind, stored: (property: string) => string): SqlColumn {
  const [name, means] = [snakeCase(field), `field \`${field}\``]
  switch (kind) {
    case 'boolean':
      return boolean(name, `${stored(field)} = 1`, means)
    case 'date':
      return time(name, stored(`${field}Ms`), means)
    case 'integer':
      return bigint(name, stored(field), means)
    case 'json':
      return json(name, asJsonb(stored(field)), means)
    case 'text':
      return text(name, stored(field), means)
    default:
      return kind satisfies never
  }
}

/** A row for each member of a list. */
function listViewsOf(record: RecordTable): readonly SqlView[] {
  const { resource, idField, key, fields: own, lists = {} } = record
  const id = idField ?? key
  const stored = (property: string) => `r.${columnOf(record, property)}`
  return Object.entries(lists).map(([list, { view, fields }]) => ({
    name: `tenantwatch_${view}`,
    rows: `a member of \`${list}\` of a record of \`${resource}\``,
    columns: [
      tenantColumn('t.name'),
      fieldColumn(id, own[id] ?? 'integer', stored),
      ...Object.entries(fields).map(([field, kind]) => memberColumn(field, kind)),
    ],
    from: liveRecords(record, ` cross join lateral jsonb_array_elements(${asJsonb(stored(list))}) m`),
    excludesRows: true,
  }))
}

function memberColumn(field: string, kind: FieldKind): SqlColumn {
  const [name, sql, means] = [snakeCase(field), `m ->> '${field}'`, `field \`${field}\``]
  switch (kind) {
    case 'boolean':
      return boolean(name, `(${sql})::boolean`, means)
    case 'integer':
      return bigint(name, `(${sql})::bigint`, means)
    case 'json':
      return json(name, `m -> '${field}'`, means)
    case 'date':
    case 'text':
      return text(name, sql, means)
    default:
      return kind satisfies never
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
