import BetterSqlite3 from 'better-sqlite3'

/** Works on a database file past everything that guards it. */
export function withDatabase<T>(file: string, work: (raw: BetterSqlite3.Database) => T): T {
  const raw = new BetterSqlite3(file)
  try {
    return work(raw)
  } finally {
    raw.close()
  }
}
