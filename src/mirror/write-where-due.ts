import type { Change, Database, Ran } from './database.ts'
import type { Step, Steps } from './steps.ts'

/**
 * One operation that often has nothing to write: it reads first, because a transaction waits for the disk. The
 * transaction decides again, because others may have written since.
 *
 * @param due what to write; null = nothing.
 */
export function writeWhereDue(
  database: Database,
  change: Change,
  due: () => Steps<(() => Step<unknown>) | null>,
): Ran<Promise<void>> {
  return database.run(async () => {
    if ((await database.read(due)) === null) return
    await database.transact(change, function* () {
      const write = yield* due()
      if (write !== null) yield* write()
    })
  })
}
