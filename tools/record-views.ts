import { type FieldKind, type RecordShape, recordShapes } from '../src/store/records/record-shape.ts'

/** SQL in which the views of the two databases differ. */
interface Dialect {
  nameOf(shape: RecordShape): string
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
  nameOf: ({ resource }) => resource.replaceAll('-', '_'),
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

const casts = { boolean: '::boolean', integer: '::bigint', text: '' } as const

/** What a lone surrogate or U+0000, which `json` does not give out, is escaped as. */
const unreadable = 'u(0000|d[89a-f][0-9a-f][0-9a-f])'

const postgres: Dialect = {
  nameOf: ({ view }) => `tenantwatch_${view}`,
  prefix: 'tenantwatch_',
  // Views exclude rows, which functions in the reader's query must not see.
  options: ' with (security_barrier)',
  body: 'j.b',
  // Only an escape after an even number of backslashes is one.
  joined: `
cross join lateral (
  select (case when r.body ~ '\\\\${unreadable}' then regexp_replace(r.body,
    '(?<!\\\\)((?:\\\\\\\\)*)\\\\${unreadable}', '\\1\\\\ufffd', 'g') else r.body end)::json as b offset 0
) j`,
  supplement: 'r.supplement::json',
  eachOf: (list) => `\ncross join lateral json_array_elements(j.b -> '${list}') m`,
  each: 'm',
  member(json, field, kind) {
    if (kind === 'json') return `${json} -> '${field}'`
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
  const views = Object.values(recordShapes).flatMap((shape) => [viewOf(shape, dialect), ...listViewsOf(shape, dialect)])
  return `-- Made by "npm run generate" from the fields of the resources (docs/sql.md).\n\n${views.join('\n\n')}\n`
}

function viewOf(shape: RecordShape, dialect: Dialect): string {
  const { body, supplement, instant, member } = dialect
  const { fields, ownTimes, detail } = shape
  return creationOf(dialect, dialect.nameOf(shape), shape, dialect.joined, [
    ...columnsOf(dialect, fields, (field) => (field === detail?.field ? supplement : body)),
    ...Object.entries(ownTimes).map(([shown, name]) => {
      return [snakeCase(shown.replace(/Ms$/, '')), instant(member(supplement, name, 'integer'))] as const
    }),
    ['first_seen_at', instant('r.first_seen_at')],
    ['missing_since', instant('r.missing_since')],
  ])
}

/** A row for each member of a list. */
function listViewsOf(shape: RecordShape, dialect: Dialect): readonly string[] {
  const id = shape.idField ?? 'id'
  return Object.entries(shape.lists).map(([list, { view, fields }]) =>
    creationOf(dialect, `${dialect.prefix}${view}`, shape, `${dialect.joined}${dialect.eachOf(list)}`, [
      ...columnsOf(dialect, { [id]: shape.fields[id] ?? 'integer' }, () => dialect.body),
      ...columnsOf(dialect, fields, () => dialect.each),
    ]),
  )
}

type Column = readonly [name: string, sql: string]

function columnsOf(
  { member }: Dialect,
  fields: Readonly<Record<string, FieldKind>>,
  jsonOf: (field: string) => string,
): readonly Column[] {
  return Object.entries(fields).map(([field, kind]) => [snakeCase(field), member(jsonOf(field), field, kind)])
}

/** The statement as SQLite stores it. */
function creationOf(
  { options }: Dialect,
  name: string,
  { resource }: RecordShape,
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
