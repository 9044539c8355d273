import { memoize } from '../../model/memoize.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'

/** Rows of one statement. */
const rowsAtOnce = 50

type Row = readonly (string | number | null)[]

/** Inserts rows of so many columns, many with one statement. @param into the statement up to `values`. */
export function rowWriter(database: Database, into: string, columns: number, onConflict = '') {
  const inserting = memoize((rows: number) =>
    database.prepare(`${into} values ${database.sql.rowsOf(rows, columns)} ${onConflict}`),
  )
  return async (tx: Sql, rows: readonly Row[]): Promise<void> => {
    for (let from = 0; from < rows.length; ) {
      const some = rows.slice(from, rows.length - from < rowsAtOnce ? from + 1 : from + rowsAtOnce)
      await inserting(some.length).run(tx, ...some.flat())
      from += some.length
    }
  }
}
