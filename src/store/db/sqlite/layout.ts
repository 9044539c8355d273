import type BetterSqlite3 from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { FatalError } from '../../../model/errors.ts'
import { migrationsFolder, sqlFile } from '../../migrations.ts'

/** `tnwt`: marks a file as a mirror of tenantwatch; other databases are never changed. */
export const applicationId = 0x746e7774

export type SchemaAge = 'empty' | 'older' | 'current'

/** @throws FatalError when the file is another program's or was written by a newer tenantwatch. */
export function schemaAge(raw: BetterSqlite3.Database, file: string): SchemaAge {
  const tables = raw.prepare("select count(*) from sqlite_master where type = 'table'").pluck().get() as number
  if (tables === 0) return 'empty'
  if (raw.pragma('application_id', { simple: true }) !== applicationId)
    throw new FatalError(`${file} is a database of another program; set store.path to a file of its own`)
  const applied = Number(raw.prepare('select max(created_at) from __drizzle_migrations').pluck().get() ?? 0)
  const newest = Math.max(...readMigrationFiles({ migrationsFolder: migrationsFolder() }).map((m) => m.folderMillis))
  if (applied > newest)
    throw new FatalError(`${file} was written by a newer tenantwatch; run that version, or restore an older backup`)
  return applied === newest ? 'current' : 'older'
}

/** @throws FatalError when a migration is due, which only an engine runs. */
export function assertCurrentLayout(age: SchemaAge, file: string): void {
  if (age === 'current') return
  throw new FatalError(
    `${file} has an older layout; run "tenantwatch sync" once with this version to bring it up to date`,
  )
}

export function migrateFile(raw: BetterSqlite3.Database): void {
  raw.pragma(`application_id = ${applicationId}`)
  migrate(drizzle(raw), { migrationsFolder: migrationsFolder() })
}

/**
 * Creates the views (docs/sql.md) again if they differ, as those of another version may. Takes the lock for writing in
 * any case, so that an engine that starts waits for another program that writes.
 */
export function createViews(raw: BetterSqlite3.Database): void {
  const views: readonly string[] = sqlFile('views.sql').match(/^CREATE VIEW [^;]*/gm) ?? []
  const select = raw.prepare<[], { readonly name: string; readonly sql: string }>(
    "select name, sql from sqlite_master where type = 'view'",
  )
  raw
    .transaction(() => {
      const stored = select.all()
      if (stored.length === views.length && stored.every(({ sql }) => views.includes(sql))) return
      for (const { name } of stored) raw.exec(`drop view "${name}"`)
      for (const sql of views) raw.exec(sql)
    })
    .immediate()
}
