import type { RecordInserts } from '../database.ts'
import { ahead, type Statement } from '../steps.ts'
import { sqlTypeOf } from './schema.ts'

type Prepare = <Bind extends readonly unknown[] = readonly unknown[]>(text: string) => Statement<Bind, number>

/**
 * Number of new records of a tenant after which the table is analyzed, again at each tenfold. Autovacuum runs a minute
 * later, and until then plans for a tenant without statistics read all of its records for each batch.
 */
const firstAnalyzed = 1000

/**
 * One statement for any number of rows, with a list for each column; nothing waits for its answer. In `from`, the
 * server would copy each list before it reads the first row.
 */
export function recordInserts(prepareValues: Prepare, table: string, columns: readonly string[]): RecordInserts {
  const given = columns.map((column) => `unnest(?::${sqlTypeOf(table, column.replaceAll('"', ''))}[])`)
  const insert = prepareValues(
    `insert into "${table}" (rid, ${columns.join(', ')}, tenant_id, read_at, request_id, first_seen_at, first_request_id)
     select unnest(@rids::bigint[]), ${given.join(', ')},
       @tenantId::bigint, @at::bigint, @requestId::text, @at, @requestId`,
  )
  const nextRids = prepareValues<[tenantId: number, rows: number]>(`select tenantwatch_rids(?, '${table}', ?)`)
  const analyze = prepareValues(`analyze (skip_locked) "${table}"`)
  const inserted = new Map<number, number>()
  /** By tenant, the number of new records on the last page, which the next one probably has, too. */
  const expected = new Map<number, number>()
  return {
    *reserve(tenantId, rows) {
      const amount = Math.min(rows, expected.get(tenantId) ?? 0)
      expected.delete(tenantId)
      // Unused ids are lost.
      return amount === 0 ? null : yield* ahead(nextRids.all(tenantId, amount))
    },
    *insert(rows, stamp, reserved) {
      if (rows.length === 0) return []
      const { tenantId } = stamp
      expected.set(tenantId, rows.length)
      const ids = reserved === null ? [] : yield* reserved
      const more = rows.length - ids.length
      const rids = more > 0 ? [...ids, ...(yield* nextRids.all(tenantId, more))] : ids.slice(0, rows.length)
      const values = columns.map((_, i) => rows.map((row) => row[i] ?? null))
      yield* insert.run(...values, { ...stamp, rids })
      const before = inserted.get(tenantId) ?? 0
      const after = before + rows.length
      inserted.set(tenantId, after)
      if (magnitude(after) > magnitude(before)) yield* analyze.run()
      return rids
    },
  }
}

/** Grows with each tenfold; 0 below `firstAnalyzed`. */
function magnitude(rows: number): number {
  return Math.max(0, Math.floor(Math.log10((10 * rows) / firstAnalyzed)))
}
