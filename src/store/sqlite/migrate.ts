import type BetterSqlite3 from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { FatalError } from '../../model/errors.ts'
import { migrationsFolder } from '../migrations.ts'

/** `tnwt`: marks a file as a mirror of tenantwatch; other databases are never changed. */
export const applicationId = 0x746e7774

export type SchemaAge = 'empty' | 'older' | 'current'

/** @throws FatalError when the file is another program's or was written by a newer tenantwatch. */
export function schemaAge(raw: BetterSqlite3.Database, path: string): SchemaAge {
  const tables = raw.prepare("select count(*) from sqlite_master where type = 'table'").pluck().get() as number
  if (tables === 0) return 'empty'
  if (raw.pragma('application_id', { simple: true }) !== applicationId) {
    throw new FatalError(`${path} is a database of another program; set store.path to a file of its own`)
  }
  const applied = raw.prepare('select max(created_at) from __drizzle_migrations').pluck().get() as number | null
  const newest = Math.max(...readMigrationFiles({ migrationsFolder: migrationsFolder() }).map((m) => m.folderMillis))
  const at = Number(applied ?? 0)
  if (at > newest) {
    throw new FatalError(`${path} was written by a newer tenantwatch; run that version, or restore an older backup`)
  }
  return at === newest ? 'current' : 'older'
}

export function bringUpToDate(raw: BetterSqlite3.Database): void {
  raw.transaction(() => raw.pragma(`application_id = ${applicationId}`))()
  migrate(drizzle(raw), { migrationsFolder: migrationsFolder() })
}
