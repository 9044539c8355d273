import { join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Clock } from '../../../model/clock.ts'
import { describeDuration, secondMs } from '../../../model/durations.ts'
import { FatalError } from '../../../model/errors.ts'
import { migrationsFolder } from '../../migrations.ts'
import { dropDerived, makeDerived } from '../../postgres/derived.ts'
import { presentSchema } from '../../postgres/present-schema.ts'
import { ask, type Connection } from './pool.ts'
import { driverCodeOf } from './store-error.ts'

/** Marks a database as tenantwatch's, and lists the applied migrations. */
export const marker = 'tenantwatch_migrations'

/** Key of the advisory lock with which one process migrates; `tnwt` as a number. */
const lock = 0x746e7774

/** Longest wait for that lock, in milliseconds; a migration takes seconds. */
const turnMs = 30 * secondMs

/** Longest wait for a table that others use: later users of it wait for the migration. */
const tableMs = 2 * secondMs

/** Tries to change tables that others use, and the pause between them. */
const mostTries = 10
const pauseMs = 4 * secondMs

/** Time in milliseconds after which the server ends the transaction of a process that was suspended. */
const idleMs = 5 * secondMs

/** `beside` does not migrate. */
export type Role = 'engine' | 'beside'

export interface Upgrade {
  readonly clock: Pick<Clock, 'sleep'>
  readonly migrations?: readonly Migration[]
  /** Longest wait for the lock of migrations, in milliseconds. */
  readonly waitMs?: number
}

/** Runs text of one or several statements, and returns the rows of the last one. */
type Run = <Row>(text: string) => Promise<Row[]>

/**
 * Migrates. @throws FatalError, without a change, when the database is another program's or of a newer tenantwatch, or
 * when others use the tables of an older layout.
 */
export async function bringUpToDate(connection: Connection, role: Role, upgrade: Upgrade): Promise<void> {
  const { clock, migrations = postgresMigrations(), waitMs = turnMs } = upgrade
  for (let tries = 1; ; tries++) {
    try {
      return await inTransaction(connection, async (run) => {
        // A current layout needs no lock: any role can hold an advisory lock.
        if ((await newestIn(run)) === newestOf(migrations)) return
        await waitForTurn(run, waitMs)
        await migrate(run, role, migrations)
      })
    } catch (error) {
      if (!isBlocked(error)) throw error
      if (tries === mostTries) throw tablesInUse()
    }
    await clock.sleep(pauseMs)
  }
}

/** Runs `work` in a transaction without the role's limits. */
export async function inTransaction<T>(connection: Connection, work: (run: Run) => Promise<T>): Promise<T> {
  const run: Run = async <Row>(text: string) => (await ask(connection, { text })).rows as Row[]
  await run(`begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = ${idleMs}`)
  try {
    const result = await work(run)
    await run('commit')
    return result
  } catch (error) {
    await run('rollback').catch(() => {})
    throw error
  }
}

async function waitForTurn(run: Run, waitMs: number): Promise<void> {
  await run(`set local lock_timeout = ${waitMs}`)
  await run(`select pg_advisory_xact_lock(${lock})`).catch((error: unknown) => {
    throw isBlocked(error) ? lockedByAnother(waitMs) : error
  })
  await run(`set local lock_timeout = ${tableMs}`)
}

/** True if another session blocked it: nothing was changed, and a retry is possible. */
function isBlocked(error: unknown): boolean {
  return ['55P03', '40P01'].includes(driverCodeOf(error))
}

async function migrate(run: Run, role: Role, migrations: readonly Migration[]): Promise<void> {
  const at = (await newestIn(run)) ?? 0
  if (at > newestOf(migrations)) throw newerLayout()
  const due = migrations.filter(({ folderMillis }) => folderMillis > at)
  if (due.length > 0 && role === 'beside') throw notCurrent(at)
  if (at === 0) await createMarker(run)
  else if (due.length > 0) await run(fenceOlderReplicas)
  if (due.length > 0) for (const statement of statementsOf(due)) await run(statement)
}

/** Time of the newest applied migration; 0 = none. */
export const newestAppliedText = `select coalesce(max(created_at), 0) as at from ${marker}`

/** Null = the schema, whatever the rest of the search path has, is not tenantwatch's. */
async function newestIn(run: Run): Promise<number | null> {
  const found = await run(
    `select 1 from pg_class where relnamespace = ${presentSchema} and relkind = 'r' and relname = '${marker}'`,
  )
  if (found.length === 0) return null
  return (await run<{ readonly at: number }>(newestAppliedText))[0]?.at ?? 0
}

async function createMarker(run: Run): Promise<void> {
  const relations = await run(
    `select 1 from pg_class where relnamespace = ${presentSchema} and relkind in ('r', 'p', 'v', 'm')
       and relname <> '${marker}' limit 1`,
  )
  if (relations.length > 0) throw foreign()
  await run(`create table if not exists ${marker} (hash text not null, created_at bigint not null)`)
}

type Migration = Pick<ReturnType<typeof postgresMigrations>[number], 'sql' | 'hash' | 'folderMillis'>

/** Triggers are dropped meanwhile: a migration that changes records must update their counts and revisions itself. */
function statementsOf(due: readonly Migration[]): readonly string[] {
  const applied = due.flatMap(({ sql, hash, folderMillis }) => [
    ...sql,
    `insert into ${marker} (hash, created_at) values ('${hash}', ${folderMillis})`,
  ])
  return [...dropDerived, ...applied, ...makeDerived()]
}

/** Replicas of an older version write nothing into the new layout. They renew nothing either: the layout is newer. */
const fenceOlderReplicas = 'update leases set epoch = epoch + 1'

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

function notCurrent(at: number): FatalError {
  if (at === 0)
    return new FatalError('There is no mirror in the database of store.url yet; run "tenantwatch sync" first')
  return new FatalError(
    'The database of store.url has an older layout; run "tenantwatch sync" once with this version to bring it up to date',
  )
}

function lockedByAnother(waitMs: number): FatalError {
  return new FatalError(
    `Another session has held the lock for changes of the layout for ${describeDuration(waitMs)}; start again when it has ended (see pg_locks)`,
  )
}

function tablesInUse(): FatalError {
  return new FatalError(
    'The layout of the database could not be changed, because other sessions use its tables; end their transactions (see pg_stat_activity), and start again',
  )
}
