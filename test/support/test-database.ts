import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { type Db, postgresDialect, sqliteDialect } from '../../src/store/db/db.ts'
import { PostgresDb } from '../../src/store/db/postgres/postgres-db.ts'
import { postgresMirror } from '../../src/store/db/postgres/postgres-mirror.ts'
import { openForEngine } from '../../src/store/db/sqlite/open.ts'
import { openMirror, SqliteDb } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import type { Mirror } from '../../src/store/port.ts'
import { type TestPostgres, testOptions, testPostgres } from './postgres.ts'
import { overRecords } from './record-tables.ts'
import { temporaryFolder } from './temporary.ts'
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
  return onPostgres ? ofPostgres(path) : ofSqlite(path)
}

/** A database of a test's own, with all tables. */
export function testDb(): Db {
  if (onPostgres) {
    const database = testPostgres()
    const connections = database.connect()
    onTestFinished(async () => {
      await connections.end()
      await database.drop()
    })
    return new PostgresDb(connections, testOptions)
  }
  const opened = openForEngine(join(temporaryFolder(), 'mirror.db'))
  onTestFinished(() => opened[Symbol.dispose]())
  return new SqliteDb(opened)
}

function ofSqlite(path: string): OpenedMirror {
  const mirror = openMirror(path, 'engine')
  const beside = new BetterSqlite3(path)
  return {
    mirror,
    query: (sql, ...values) => beside.prepare(overRecords(sql)).all(...values) as Record<string, unknown>[],
    wrongCounts: () => wrongCounts(sqliteDialect, (sql) => beside.prepare(sql).all()),
    closeQuery: () => void beside.close(),
    crashTo(next) {
      for (const suffix of ['', '-wal']) {
        if (existsSync(path + suffix)) copyFileSync(path + suffix, next + suffix)
      }
    },
  }
}

const databases = new Map<string, TestPostgres>()

function ofPostgres(path: string): OpenedMirror {
  const database = databases.get(path) ?? testPostgres()
  if (!databases.has(path)) {
    databases.set(path, database)
    onTestFinished(() => database.drop())
  }
  const connections = database.connect()
  const db = new PostgresDb(connections, testOptions)
  const opened = new AsyncDisposableStack()
  opened.use(db)
  const mirror = postgresMirror(db, opened)
  return {
    mirror,
    query: (sql, ...values) => database.query(overRecords(sql, 'postgres'), ...values),
    wrongCounts: () => wrongCounts(postgresDialect, (sql) => database.query(sql)),
    closeQuery() {},
    crashTo(next) {
      connections.sever()
      databases.set(next, database)
    },
  }
}
