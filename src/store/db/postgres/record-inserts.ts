import { sqlTypeOf } from '../../postgres/schema.ts'
import type { RecordInserts } from '../db.ts'

/**
 * One statement for any number of rows, with a list for each column. In `from`, the server would copy each list before
 * it reads the first row.
 */
export function recordInserts(table: string, columns: readonly string[]): RecordInserts {
  const lists = columns.map((column) => `unnest(?::${sqlTypeOf(table, column.replaceAll('"', ''))}[])`)
  const insert = `insert into "${table}" (rid, ${columns.join(', ')}, tenant_id, read_at, request_id, first_seen_at, first_request_id)
    select unnest(array(select tenantwatch_rids(@tenantId, '${table}', @amount))), ${lists.join(', ')},
      @tenantId::bigint, @at::bigint, @requestId::text, @at, @requestId
    returning rid`
  return {
    async insert(sql, rows, stamp) {
      if (rows.length === 0) return []
      const values = columns.map((_, i) => rows.map((row) => row[i] ?? null))
      return sql<number>(insert, [...values, { ...stamp, amount: rows.length }], 'values')
    },
  }
}
