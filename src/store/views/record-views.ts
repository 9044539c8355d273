import { type FieldKind, type RecordShape, recordShapes } from '../records/record-shape.ts'
import type { SqlColumn, SqlView } from './view.ts'

/** SQL in which the views of the databases differ. */
export interface ViewDialect {
  /** @param resource null for the members of a list. */
  nameOf(view: string, resource: string | null): string
  /** The record's JSON, of the table `r` and what `joined` adds to it. */
  readonly body: string
  readonly supplement: string
  readonly joined: string
  /** Adds a row for each member of a list of the record. */
  eachOf(list: string): string
  /** The member of a list that `eachOf` adds. */
  readonly each: string
  member(json: string, field: string, kind: FieldKind): string
  /** @param ms milliseconds since the epoch. */
  instant(ms: string): string
}

/** Views of the live records of each resource, with a column for each field of its descriptor. */
export function recordViews(dialect: ViewDialect): readonly SqlView[] {
  return Object.values(recordShapes).flatMap((shape) => [viewOf(shape, dialect), ...listViewsOf(shape, dialect)])
}

function viewOf(shape: RecordShape, dialect: ViewDialect): SqlView {
  const { resource, view, fields, ownTimes, detail } = shape
  const columns = Object.entries(fields).map(([field, kind]) =>
    columnOf(dialect, field === detail?.field ? dialect.supplement : dialect.body, field, kind),
  )
  const timeOf = (name: string, ms: string, means: string): SqlColumn => {
    return { name, type: types.date, sql: dialect.instant(ms), means }
  }
  const ownColumns = Object.entries(ownTimes).map(([shown, name]) => {
    const means = `\`${shown}\` of [own checks](own-checks.md#the-views)`
    const ms = dialect.member(dialect.supplement, name, 'integer')
    return timeOf(snakeCase(shown.replace(/Ms$/, '')), ms, means)
  })
  const missing = 'since when full syncs do not return it; its removal is not confirmed'
  return {
    name: dialect.nameOf(view, resource),
    rows: `a record of \`${resource}\` that the tenant has; removed ones are left out`,
    columns: [
      tenantColumn('t.name'),
      ...columns,
      ...ownColumns,
      timeOf('first_seen_at', 'r.first_seen_at', 'when the record was first mirrored'),
      timeOf('missing_since', 'r.missing_since', missing),
    ],
    from: liveRecords(shape, dialect.joined),
  }
}

/** A row for each member of a list. */
function listViewsOf(shape: RecordShape, dialect: ViewDialect): readonly SqlView[] {
  const { resource, idField, fields: own, lists } = shape
  const id = idField ?? 'id'
  return Object.entries(lists).map(([list, { view, fields }]) => ({
    name: dialect.nameOf(view, null),
    rows: `a member of \`${list}\` of a record of \`${resource}\``,
    columns: [
      tenantColumn('t.name'),
      columnOf(dialect, dialect.body, id, own[id] ?? 'integer'),
      ...Object.entries(fields).map(([field, kind]) => columnOf(dialect, dialect.each, field, kind)),
    ],
    from: liveRecords(shape, `${dialect.joined}${dialect.eachOf(list)}`),
  }))
}

function liveRecords({ resource }: RecordShape, joined: string): string {
  return `records r join tenants t on t.id = r.tenant_id${joined}
where r.resource = '${resource}' and r.removed_at is null and r.body is not null`
}

const types = {
  boolean: 'boolean',
  date: 'timestamp with time zone',
  integer: 'bigint',
  json: 'json',
  text: 'text',
} as const satisfies Record<FieldKind, SqlColumn['type']>

function columnOf(dialect: ViewDialect, json: string, field: string, kind: FieldKind): SqlColumn {
  return {
    name: snakeCase(field),
    type: types[kind],
    sql: dialect.member(json, field, kind),
    means: `field \`${field}\``,
  }
}

export function tenantColumn(sql: string): SqlColumn {
  return { name: 'tenant', type: 'text', sql, means: 'name of the tenant in the configuration' }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
