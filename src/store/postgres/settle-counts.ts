import { FatalError } from '../../model/errors.ts'
import type { Log } from '../../model/log.ts'
import { expireAllPasses } from '../findings/result-statements.ts'
import { countAgain, countDifferences } from '../records/record-counts.ts'
import type { PostgresDatabase } from './database.ts'

/** Tries: others may write between the comparison and the lock. */
const mostTries = 4

const counted =
  'Records were changed while the triggers of the database did not fire: they were counted again, and history may lack changes'

/** True if the stored counts equal those of the records. @throws SyncError `store`. */
export function countsAgree(database: PostgresDatabase): Promise<boolean> {
  return database.read(function* () {
    for (const text of countDifferences(database.sql)) {
      if ((yield* database.prepare(text).get()) !== undefined) return false
    }
    return true
  })
}

/**
 * Counts records again if somebody changed them while triggers did not fire.
 *
 * @returns true when the counts were wrong.
 * @throws SyncError `store`; FatalError when they stay wrong.
 */
export async function settleCounts(database: PostgresDatabase, log: Log): Promise<boolean> {
  for (let tries = 0; tries < mostTries; tries++) {
    if (await countsAgree(database)) {
      if (tries > 0) log.error({}, counted)
      return tries > 0
    }
    await database.write('nothing', function* () {
      yield* database.prepare('lock table record_counts in share row exclusive mode').run()
      yield* database.prepare('delete from record_counts').run()
      for (const text of countAgain(database.sql)) yield* database.prepare(text).run()
      // Memory of other replicas and stored results depend on the former counts.
      yield* database.prepare('update tenant_owners set epoch = epoch + 1 where tenant_id <> 0').run()
      yield* database.prepare(expireAllPasses).run()
    })
  }
  throw new FatalError('The counts of the database of store.url do not agree with its records, also after a new count')
}
