import type { Log } from '../../../model/log.ts'
import { expireAllPasses } from '../../findings/result-store.ts'
import { countAgain, countDifferences } from '../../records/record-counts.ts'
import type { Db, Sql } from '../db.ts'

/** True if the stored counts equal those of the records. @throws SyncError `store`. */
export function countsAgree(db: Db): Promise<boolean> {
  return db.read(async (sql) => {
    for (const text of countDifferences(db.dialect)) if ((await sql(text)).length > 0) return false
    return true
  })
}

/**
 * Counts records again if somebody changed them while triggers did not fire.
 *
 * @returns true when the counts were wrong.
 * @throws SyncError `store`.
 */
export async function settleCounts(db: Db, log: Log): Promise<boolean> {
  if (await countsAgree(db)) return false
  await db.write((sql) => recount(db, sql))
  log.error(
    {},
    'Records were changed while the triggers of the database did not fire: they were counted again, and history may lack changes',
  )
  return true
}

async function recount({ dialect }: Db, sql: Sql): Promise<void> {
  await sql('lock table record_counts in share row exclusive mode')
  await sql('delete from record_counts')
  for (const text of countAgain(dialect)) await sql(text)
  // Stored results depend on the former counts.
  await sql(expireAllPasses)
}
