import { hash } from 'node:crypto'
import { join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { FatalError } from '../../../model/errors.ts'
import { secondMs } from '../../../model/time.ts'
import { migrationsFolder, sqlFile } from '../../migrations.ts'
import type { Sql } from '../db.ts'
import { driverCodeOf } from './store-error.ts'

/** Marks a database as tenantwatch's, and lists the applied migrations; the row of time 0 has the digest of the views. */
const marker = 'tenantwatch_migrations'

/** Key of the advisory lock with which one process migrates; `tnwt` as a number. */
const lock = 0x746e7774

/** Longest wait for that lock, in milliseconds; a migration takes seconds. */
const turnMs = 30 * secondMs

/** Longest wait for a table that others use: later users of it wait for the migration. */
const tableMs = 5 * secondMs

/** `beside` does not migrate. */
export type Role = 'engine' | 'beside'

export type Layout = 'none' | 'older' | 'current' | 'newer'

type Migration = Pick<ReturnType<typeof postgresMigrations>[number], 'sql' | 'hash' | 'folderMillis'>

/**
 * Migrates in a transaction that sees what others commit meanwhile.
 *
 * @throws FatalError when the database is another program's or of a newer tenantwatch, or when others use the tables of an
 *   older layout.
 */
export async function bringUpToDate(
  sql: Sql,
  role: Role,
  migrations: readonly Migration[] = postgresMigrations(),
): Promise<void> {
  // A current layout needs no lock: any role can hold an advisory lock.
  if (await isUpToDate(sql, role, migrations)) return
  try {
    await sql(`set local lock_timeout = ${turnMs}; select pg_advisory_xact_lock(${lock})`)
    await sql(`set local lock_timeout = ${tableMs}`)
    if (!(await isUpToDate(sql, role, migrations))) await migrate(sql, migrations)
  } catch (error) {
    throw ['55P03', '40P01'].includes(driverCodeOf(error)) ? inUse() : error
  }
}

async function isUpToDate(sql: Sql, role: Role, migrations: readonly Migration[]): Promise<boolean> {
  const layout = await layoutIn(sql, migrations)
  if (layout === 'newer') throw newerLayout()
  if (role === 'beside') {
    if (layout !== 'current') throw notCurrent(layout)
    return true
  }
  if (layout !== 'current') return false
  const [views] = await sql<{ readonly hash: string }>(`select hash from ${marker} where created_at = 0`)
  return views?.hash === hash('sha256', viewsText())
}

/** Schema of the tables, in SQL: the first one of the search path. */
export const presentSchema = 'quote_ident(current_schema())::regnamespace'

const relations = `select relname as name from pg_class
  where relnamespace = ${presentSchema} and relkind in ('r', 'p', 'v', 'm')`

/** @throws FatalError when the database is another program's. */
export async function layoutIn(sql: Sql, migrations: readonly Migration[] = postgresMigrations()): Promise<Layout> {
  const found = await sql<{ readonly name: string }>(relations)
  if (found.length === 0) return 'none'
  if (!found.some(({ name }) => name === marker)) throw foreign()
  const [{ at } = { at: 0 }] = await sql<{ readonly at: number }>(newestAppliedText)
  const newest = newestOf(migrations)
  return at === newest ? 'current' : at < newest ? 'older' : 'newer'
}

/** Time of the newest applied migration; 0 = none. */
export const newestAppliedText = `select coalesce(max(created_at), 0) as at from ${marker}`

interface Grant {
  readonly view: string
  readonly role: string
}

const views = `pg_class c where relnamespace = ${presentSchema} and relkind = 'v' and relname like 'tenantwatch\\_%'`

const grants = `select view, case grantee when 0 then 'public' else grantee::regrole::text end as role
  from (select relname as view, relowner, (aclexplode(relacl)).* from ${views}) a
  where privilege_type = 'SELECT' and grantee <> relowner`

/** A column that a view uses cannot be changed, so the views are made again, with the grants to read them. */
async function migrate(sql: Sql, migrations: readonly Migration[]): Promise<void> {
  await sql(createMarker)
  const [{ at } = { at: 0 }] = await sql<{ readonly at: number }>(newestAppliedText)
  const due = migrations.filter(({ folderMillis }) => folderMillis > at)
  if (at > 0 && due.length > 0) await sql(fenceOlderReplicas)
  const granted = await sql<Grant>(grants)
  for (const { name } of await sql<{ readonly name: string }>(`select relname as name from ${views} order by oid desc`))
    await sql(`drop view "${name}"`)
  for (const statement of statementsOf(due)) await sql(statement)
  const created = new Set((await sql<{ readonly name: string }>(relations)).map(({ name }) => name))
  for (const { view, role } of granted) if (created.has(view)) await sql(`grant select on "${view}" to ${role}`)
}

export const createMarker = `create table if not exists ${marker} (hash text not null, created_at bigint not null)`

/** Replicas of an older version write nothing into the new layout. They renew nothing either: the layout is newer. */
const fenceOlderReplicas = 'update leases set epoch = epoch + 1'

/** Applies migrations and creates all views, after those of before were dropped. */
export function statementsOf(due: readonly Migration[]): readonly string[] {
  const views = viewsText()
  return [
    ...due.flatMap(({ sql, hash, folderMillis }) => [
      ...sql,
      `insert into ${marker} (hash, created_at) values ('${hash}', ${folderMillis})`,
    ]),
    views,
    `delete from ${marker} where created_at = 0`,
    `insert into ${marker} (hash, created_at) values ('${hash('sha256', views)}', 0)`,
  ]
}

function viewsText(): string {
  return sqlFile('postgres', 'record-views.sql') + sqlFile('postgres', 'views.sql')
}

export function postgresMigrations() {
  return readMigrationFiles({ migrationsFolder: join(migrationsFolder(), 'postgres') })
}

export function newestOf(migrations: readonly Migration[]): number {
  return Math.max(...migrations.map(({ folderMillis }) => folderMillis))
}

export function newerLayout(): FatalError {
  return new FatalError(
    'The database was written by a newer tenantwatch; run that version, or restore an older backup of the database',
  )
}

function foreign(): FatalError {
  return new FatalError('The database of store.url contains tables of another program; give tenantwatch one of its own')
}

function notCurrent(layout: Layout): FatalError {
  if (layout === 'none')
    return new FatalError('There is no mirror in the database of store.url yet; run "tenantwatch sync" first')
  return new FatalError(
    'The database of store.url has an older layout; run "tenantwatch sync" once with this version to bring it up to date',
  )
}

function inUse(): FatalError {
  return new FatalError(
    'The layout of the database could not be changed, because another session uses its tables or changes it; end its transaction (see pg_stat_activity), and start again',
  )
}
