import type { Database } from './database.ts'
import type { Sql } from './db/db.ts'
import type { Change } from './versions.ts'

/**
 * For an operation that often has nothing to write: reads first, because a transaction waits for the disk, and decides
 * again inside the transaction, because others may have written since.
 *
 * @param due the change to write; null = none.
 */
export async function writeWhereDue(
  database: Database,
  change: Change,
  due: (tx: Sql) => Promise<((tx: Sql) => Promise<unknown>) | null>,
): Promise<void> {
  if ((await database.read(due)) === null) return
  await database.write(change, async (tx) => {
    const write = await due(tx)
    if (write !== null) await write(tx)
  })
}
