import { readableJson } from '../../db/postgres/dialect.ts'
import { type FieldKind, type RecordShape, recordShapes } from '../../records/record-shape.ts'
import { bigint, boolean, json, type SqlColumn, type SqlView, tenantColumn, text, time } from './view.ts'

/** The live records of each resource, by the fields of its descriptor. */
export const recordViews: readonly SqlView[] = Object.values(recordShapes).flatMap((shape) => [
  viewOf(shape),
  ...listViewsOf(shape),
])

function liveRecords({ resource }: RecordShape, members = ''): string {
  return `records r join tenants t on t.id = r.tenant_id
  cross join lateral (select (${readableJson('r.body')})::json as b offset 0) j${members}
where r.resource = '${resource}' and r.removed_at is null and r.body is not null`
}

function viewOf(shape: RecordShape): SqlView {
  const { resource, view, fields, ownTimes, detail } = shape
  const columns = Object.entries(fields).map(([field, kind]) =>
    field === detail?.field
      ? bigint(snakeCase(field), `(r.supplement::json ->> '${field}')::bigint`, `field \`${field}\``)
      : memberColumn('j.b', field, kind),
  )
  const times = Object.entries(ownTimes).map(([shown, name]) => {
    const means = `\`${shown}\` of [own checks](own-checks.md#the-views)`
    return time(snakeCase(shown.replace(/Ms$/, '')), `(r.supplement::json ->> '${name}')::bigint`, means)
  })
  return {
    name: `tenantwatch_${view}`,
    rows: `a record of \`${resource}\` that the tenant has; removed ones are left out`,
    columns: [
      tenantColumn('t.name'),
      ...columns,
      ...times,
      time('first_seen_at', 'r.first_seen_at', 'when the record was first mirrored'),
      time('missing_since', 'r.missing_since', 'since when full syncs do not return it; its removal is not confirmed'),
    ],
    from: liveRecords(shape),
    excludesRows: true,
  }
}

/** A row for each member of a list. */
function listViewsOf(shape: RecordShape): readonly SqlView[] {
  const { resource, idField, fields: own, lists } = shape
  const id = idField ?? 'id'
  return Object.entries(lists).map(([list, { view, fields }]) => ({
    name: `tenantwatch_${view}`,
    rows: `a member of \`${list}\` of a record of \`${resource}\``,
    columns: [
      tenantColumn('t.name'),
      memberColumn('j.b', id, own[id] ?? 'integer'),
      ...Object.entries(fields).map(([field, kind]) => memberColumn('m', field, kind)),
    ],
    from: liveRecords(shape, ` cross join lateral json_array_elements(j.b -> '${list}') m`),
    excludesRows: true,
  }))
}

function memberColumn(object: string, field: string, kind: FieldKind): SqlColumn {
  const [name, sql, means] = [snakeCase(field), `${object} ->> '${field}'`, `field \`${field}\``]
  switch (kind) {
    case 'boolean':
      return boolean(name, `(${sql})::boolean`, means)
    case 'date':
      return { name, type: 'timestamp with time zone', sql: instantOf(`(${sql})`), means }
    case 'integer':
      return bigint(name, `(${sql})::bigint`, means)
    case 'json':
      return json(name, `(${object} -> '${field}')::jsonb`, means)
    case 'text':
      return text(name, sql, means)
    default:
      return kind satisfies never
  }
}

/** A date as the API sends it, which is UTC without an offset, and may have a comma before the fraction. */
function instantOf(date: string): string {
  const hasOffset = `${date} ~* 't.*(z|[+-][0-9]{2}(:?[0-9]{2})?)$'`
  return `(replace(${date}, ',', '.') || case when ${hasOffset} then '' else 'Z' end)::timestamptz`
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
