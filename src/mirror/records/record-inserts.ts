import { memoize } from '../../model/memoize.ts'
import type { Database } from '../sqlite/database.ts'
import type { Stored } from './record-table.ts'

/** What is the same for all rows of a transaction. */
export interface InsertStamp {
  readonly tenantId: number
  readonly at: number
  readonly requestId: string | null
}

/** Fifty rows with one statement take two thirds of the time of fifty statements: its cursors stay where they are. */
const rowsAtOnce = 50

/**
 * Inserts rows of one record table, given by the values of `columns`, all of the same length.
 *
 * @returns their ids in the same order.
 */
export function recordInserts(
  { raw }: Database,
  table: string,
  columns: readonly string[],
): (rows: readonly (readonly Stored[])[], stamp: InsertStamp) => number[] {
  const names = [...columns, 'tenant_id', 'read_at', 'request_id', 'first_seen_at', 'first_request_id']
  const row = `(${columns.map(() => '?').join(', ')}, @tenantId, @at, @requestId, @at, @requestId)`
  const into = (rows: number) =>
    raw.prepare(
      // `or fail` spares a journal for the statement: what it would undo, the failed transaction undoes.
      `insert or fail into "${table}" (${names.map((name) => `"${name}"`).join(', ')}) values ${Array(rows).fill(row).join(', ')}`,
    )
  const statement = memoize(into)

  return (rows, stamp) => {
    const rids: number[] = []
    for (let from = 0; from < rows.length; ) {
      const together = rows.length - from < rowsAtOnce ? 1 : rowsAtOnce
      const values: Stored[] = []
      for (let i = from; i < from + together; i++) for (const value of rows[i] ?? []) values.push(value)
      const { lastInsertRowid } = statement(together).run(values, stamp)
      const last = Number(lastInsertRowid)
      // New rows lie behind all others: their ids follow each other.
      for (let rid = last - together + 1; rid <= last; rid++) rids.push(rid)
      from += together
    }
    return rids
  }
}
