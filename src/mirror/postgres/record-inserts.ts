import type { InsertStamp, RecordInserts } from '../database.ts'
import type { Stored } from '../records/record-tables.ts'
import type { Statement } from '../steps.ts'
import { sqlTypeOf } from './schema.ts'

type Prepare = (text: string) => Statement<readonly unknown[], number>

/**
 * New records of a tenant after which a table is analyzed, and again at each tenfold. Autovacuum comes a minute later, and
 * until then plans for a tenant that the statistics do not know read all of its records for each batch.
 */
const firstAnalyzed = 1000

/** One statement, whatever the number of rows: a list for each column. */
export function recordInserts(prepareValues: Prepare, table: string, columns: readonly string[]): RecordInserts {
  const lists = columns.map((_, i) => `c${i}`)
  const given = columns.map((column) => `unnest(?::${sqlTypeOf(table, column.replaceAll('"', ''))}[])`)
  const insert = prepareValues(
    `insert into "${table}" (rid, ${columns.join(', ')}, tenant_id, read_at, request_id, first_seen_at, first_request_id)
     select rid, ${lists.join(', ')}, @tenantId::bigint, @at::bigint, @requestId::text, @at, @requestId
     from rows from (${given.join(', ')}, tenantwatch_rids(@tenantId, '${table}', @rows::bigint)) with ordinality
       as given (${[...lists, 'rid', 'place'].join(', ')})
     order by place returning rid`,
  )
  const analyze = prepareValues(`analyze (skip_locked) "${table}"`)
  const inserted = new Map<number, number>()
  return function* (rows: readonly (readonly Stored[])[], stamp: InsertStamp) {
    if (rows.length === 0) return []
    const values = columns.map((_, i) => rows.map((row) => row[i] ?? null))
    const rids = yield* insert.all(...values, { ...stamp, rows: rows.length })
    const before = inserted.get(stamp.tenantId) ?? 0
    const after = before + rows.length
    inserted.set(stamp.tenantId, after)
    if (magnitude(after) > magnitude(before)) yield* analyze.run()
    return rids
  }
}

/** 0 below `firstAnalyzed`. */
function magnitude(rows: number): number {
  return Math.max(0, Math.floor(Math.log10((10 * rows) / firstAnalyzed)))
}
