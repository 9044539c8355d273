import type { Field, FieldKind } from '../src/model/fields.ts'
import type { ResourceDefinition } from '../src/model/resource.ts'
import { resources } from '../src/resources/index.ts'
import { readableJson } from '../src/store/db/db.ts'
import { recordShapes } from '../src/store/records/record-shape.ts'

/** SQL in which the views of the two databases differ. */
interface Dialect {
  nameOf(resource: ResourceDefinition): string
  /** Prefix of the names of views of lists. */
  readonly prefix: string
  readonly options: string
  /** The record's JSON, of the table `r` and what `joined` adds to it. */
  readonly body: string
  readonly joined: string
  readonly supplement: string
  /** Adds a row for each member of a list of the record, whose JSON is `each`. */
  eachOf(list: string): string
  readonly each: string
  member(json: string, field: string, kind: FieldKind): string
  /** @param ms milliseconds since the epoch. */
  instant(ms: string): string
}

/** Dates are as the tenant sends them, lists are JSON. */
const sqlite: Dialect = {
  nameOf: ({ name }) => name.replaceAll('-', '_'),
  prefix: '',
  options: '',
  body: 'r.body',
  joined: '',
  supplement: 'r.supplement',
  eachOf: (list) => `, json_each(r.body -> '${list}') m`,
  each: 'm.value',
  member: (json, field) => `${json} ->> '${field}'`,
  instant: (ms) => `strftime('%Y-%m-%dT%H:%M:%SZ', (${ms}) / 1000, 'unixepoch')`,
}

const casts = { flag: '::boolean', guid: '', integer: '::bigint', text: '' } as const

const postgres: Dialect = {
  nameOf: ({ name, view = name.replaceAll('-', '_') }) => `tenantwatch_${view}`,
  prefix: 'tenantwatch_',
  // Views exclude rows, which functions in the reader's query must not see.
  options: ' with (security_barrier)',
  body: 'j.b',
  joined: `
cross join lateral (
  select ${readableJson('r.body')} as b offset 0
) j`,
  supplement: 'r.supplement::json',
  eachOf: (list) => `\ncross join lateral json_array_elements(j.b -> '${list}') m`,
  each: 'm',
  member(json, field, kind) {
    if (kind === 'list') return `${json} -> '${field}'`
    const text = `(${json} ->> '${field}')`
    if (kind !== 'date') return `${text}${casts[kind]}`
    // The API sends dates in UTC without an offset, and some with a comma before the fraction.
    const hasOffset = `${text} ~* 't.*(z|[+-][0-9]{2}(:?[0-9]{2})?)$'`
    return `(replace(${text}, ',', '.') || case when ${hasOffset} then '' else 'Z' end)::timestamptz`
  },
  instant: (ms) => `to_timestamp(${ms} / 1000.0)`,
}

/** Files of the views of the live records of each resource, made from the descriptors: text by path from the root. */
export function recordViewFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['drizzle/views.sql', textOf(sqlite)],
    ['drizzle/postgres/record-views.sql', textOf(postgres)],
  ])
}

function textOf(dialect: Dialect): string {
  const views = resources.flatMap((resource) => [viewOf(resource, dialect), ...listViewsOf(resource, dialect)])
  return `-- Made by "npm run generate" from the fields of the resources (docs/sql.md).\n\n${views.join('\n\n')}\n`
}

function viewOf(resource: ResourceDefinition, dialect: Dialect): string {
  const { body, supplement, instant, member } = dialect
  const { detail } = recordShapes[resource.name]
  const readAt: readonly Column[] =
    detail === null
      ? []
      : [[snakeCase(`${detail.states}ReadAt`), instant(member(supplement, 'detailReadAt', 'integer'))]]
  return creationOf(dialect, dialect.nameOf(resource), resource, dialect.joined, [
    ...columnsOf(dialect, resource.fields, (field) => (field === detail?.states ? supplement : body)),
    ...readAt,
    ['first_seen_at', instant('r.first_seen_at')],
    ['missing_since', instant('r.missing_since')],
  ])
}

/** A row for each member of a list. */
function listViewsOf(resource: ResourceDefinition, dialect: Dialect): readonly string[] {
  const id = Object.entries<Field>(resource.fields).filter(([name]) => name === resource.idField)
  return Object.entries<Field>(resource.fields).flatMap(([list, field]) => {
    if (field.kind !== 'list') return []
    const joined = `${dialect.joined}${dialect.eachOf(list)}`
    return creationOf(dialect, `${dialect.prefix}${field.view}`, resource, joined, [
      ...columnsOf(dialect, Object.fromEntries(id), () => dialect.body),
      ...columnsOf(dialect, field.of, () => dialect.each),
    ])
  })
}

type Column = readonly [name: string, sql: string]

function columnsOf(
  { member }: Dialect,
  fields: Readonly<Record<string, Pick<Field, 'kind'>>>,
  jsonOf: (field: string) => string,
): readonly Column[] {
  return Object.entries(fields).map(([field, { kind }]) => [snakeCase(field), member(jsonOf(field), field, kind)])
}

/** The statement as SQLite stores it. */
function creationOf(
  { options }: Dialect,
  name: string,
  { name: resource }: ResourceDefinition,
  joined: string,
  columns: readonly Column[],
): string {
  const all: readonly Column[] = [['tenant', 't.name'], ...columns]
  return `CREATE VIEW "${name}"${options} as
select
${all.map(([column, sql]) => `  ${sql} as "${column}"`).join(',\n')}
from records r join tenants t on t.id = r.tenant_id${joined}
where r.resource = '${resource}' and r.removed_at is null and r.body is not null;`
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
