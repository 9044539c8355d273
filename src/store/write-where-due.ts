import type { Db, Sql } from './db/db.ts'

/**
 * For an operation that often has nothing to write: reads first, because a transaction waits for the disk, and decides
 * again inside the transaction, because others may have written since.
 *
 * @param due the change to write; null = none.
 */
export async function writeWhereDue(
  db: Db,
  due: (tx: Sql) => Promise<((tx: Sql) => Promise<unknown>) | null>,
): Promise<void> {
  if ((await db.read(due)) === null) return
  await db.write(async (tx) => {
    const write = await due(tx)
    if (write !== null) await write(tx)
  })
}
