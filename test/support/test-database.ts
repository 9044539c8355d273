import { copyFileSync, existsSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import type { Mirror } from '../../src/store/port.ts'
import { openMirror } from '../../src/store/sqlite/sqlite-mirror.ts'
import { sqliteDialect } from '../../src/store/db/sqlite/dialect.ts'
import { wrongCounts } from './wrong-counts.ts'

/** `TEST_DATABASE=postgres` runs tests of the mirror on PostgreSQL. */
export const onPostgres = process.env['TEST_DATABASE'] === 'postgres'

export interface OpenedMirror {
  readonly mirror: Mirror
  /** Looks into the database beside the mirror. */
  query(sql: string, ...values: unknown[]): Record<string, unknown>[]
  wrongCounts(): readonly unknown[]
  /** Closes what `query` needs. */
  closeQuery(): void
  /** As after SIGKILL: another mirror is opened at `path` on what lies there, and this one writes in vain. */
  crashTo(path: string): void
}

/** An engine's mirror at this path: a file, or the name of a database for the length of a test. */
export function openTestMirror(path: string): OpenedMirror {
  return ofSqlite(path)
}

function ofSqlite(path: string): OpenedMirror {
  const mirror = openMirror(path, 'engine')
  const beside = new BetterSqlite3(path)
  return {
    mirror,
    query: (sql, ...values) => beside.prepare(sql).all(...values) as Record<string, unknown>[],
    wrongCounts: () => wrongCounts(sqliteDialect, (sql) => beside.prepare(sql).all()),
    closeQuery: () => void beside.close(),
    crashTo(next) {
      for (const suffix of ['', '-wal']) {
        if (existsSync(path + suffix)) copyFileSync(path + suffix, next + suffix)
      }
    },
  }
}

