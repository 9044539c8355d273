import type { Change, Database, Ran } from './database.ts'
import type { Step, Steps } from './steps.ts'

/**
 * For an operation that often has nothing to write: reads first, because a transaction waits for the disk, and decides
 * again inside the transaction, because others may have written since.
 *
 * @param due the change to write; null = none.
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
