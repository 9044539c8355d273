import { type RecordShape, recordShapes } from '../../src/store/records/record-shape.ts'

type Engine = 'postgres' | 'sqlite'

/**
 * A query over `records` as if each resource had a table: `users`, `api_clients` and so on with typed columns of live and
 * removed records, `quarantine` and `accepted_removals`.
 */
export function overRecords(sql: string, engine: Engine = 'sqlite'): string {
  const used = Object.entries(tablesOf(engine)).filter(([name]) => new RegExp(`\\b${name}\\b`).test(sql))
  const ctes = used.map(([name, select]) => `${name} as (${select})`)
  if (ctes.length === 0) return sql
  const [, recursive = '', rest = sql] = /^\s*with\s+(recursive\s+)?(.*)$/is.exec(sql) ?? []
  return /^\s*with\b/i.test(sql) ? `with ${recursive}${ctes.join(', ')}, ${rest}` : `with ${ctes.join(', ')} ${sql}`
}

function tablesOf(engine: Engine): Record<string, string> {
  const tables: Record<string, string> = {
    quarantine: `select tenant_id, resource, key, raw, problem, problem_since as first_seen_at, request_id, absent as absent_full_syncs
      from records where problem is not null`,
    accepted_removals: `select tenant_id, resource, rid from records where accepted = 1 and removed_at is null`,
  }
  for (const shape of Object.values(recordShapes)) tables[shape.resource.replaceAll('-', '_')] = tableOf(shape, engine)
  return tables
}

function tableOf({ resource, fields, detail, idField, isNumbered }: RecordShape, engine: Engine): string {
  const member = (column: string, field: string) =>
    engine === 'sqlite' ? `${column} ->> '${field}'` : `(${column}::json ->> '${field}')`
  const columns = Object.entries(fields).map(([field, kind]) => {
    // An erased record has its id still.
    const text =
      field === idField
        ? `coalesce(${member('body', field)}, key)`
        : member(field === detail?.states ? 'supplement' : 'body', field)
    if (engine === 'sqlite' && field === idField && isNumbered) return `cast(key as integer) as ${snake(field)}`
    if (engine === 'postgres' && kind === 'integer') return `${text}::bigint as ${snake(field)}`
    if (engine === 'postgres' && kind === 'flag')
      return `case ${text} when 'true' then 1 when 'false' then 0 end as ${snake(field)}`
    return `${text} as ${snake(field)}`
  })
  const times = detail === null ? [] : [`${member('supplement', 'detailReadAt')} as detail_read_at`]
  const guidKey = idField === null || isNumbered ? '' : `key as ${snake(idField.replace(/Id$/, 'Key'))}, `
  return `select rid, tenant_id, key, ${guidKey}${[...columns, ...times].join(', ')}, ${member('body', 'extra')} as extra, first_seen_at, read_at, request_id,
    removed_at, missing_since, absent as absent_full_syncs, looked_up_at from records where resource = '${resource}' and (body is not null or removed_at is not null)`
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
