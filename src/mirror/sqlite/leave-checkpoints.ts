import type BetterSqlite3 from 'better-sqlite3'

/** Pages of the write-ahead log; SQLite's own default. */
const logPages = 1000

/** Suspends automatic checkpoints while `work` runs, whose process makes one at its end. */
export async function leaveCheckpoints<T>(raw: BetterSqlite3.Database, work: () => Promise<T>): Promise<T> {
  raw.pragma('wal_autocheckpoint = 0')
  try {
    return await work()
  } finally {
    if (raw.open) raw.pragma(`wal_autocheckpoint = ${logPages}`)
  }
}
