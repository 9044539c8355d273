import type BetterSqlite3 from 'better-sqlite3'

/** Pages in the write-ahead log from which on a commit puts them into the file: SQLite's own default. */
const logPages = 1000

/** Leaves it to `work`, which another process does, to put what is written meanwhile into the file. */
export async function leaveCheckpoints<T>(raw: BetterSqlite3.Database, work: () => Promise<T>): Promise<T> {
  raw.pragma('wal_autocheckpoint = 0')
  try {
    return await work()
  } finally {
    if (raw.open) raw.pragma(`wal_autocheckpoint = ${logPages}`)
  }
}
