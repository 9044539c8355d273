import { join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { describeDuration, secondMs } from '../../model/durations.ts'
import { FatalError } from '../../model/errors.ts'
import { migrationsFolder } from '../migrations.ts'
import { copyIn, halfCopied, hasTable, insistOnEmpty } from './copy-mark.ts'
import { dropDerived, makeDerived } from './derived.ts'
import { presentSchema } from './present-schema.ts'
import type { Session } from './session.ts'
import { isBlocked, isLockTimeout, type LockWait, lockTables, lockWait } from './table-locks.ts'

/** Marks a database as tenantwatch's, and lists the applied migrations. */
export const marker = 'tenantwatch_migrations'

/** Key of the advisory lock with which one process migrates; `tnwt` as a number. */
const lock = 0x746e7774

/** Longest wait for that lock; a migration takes seconds. */
const mostLockedMs = 30 * secondMs

/** Time in milliseconds after which the server ends the transaction of a process that was suspended. */
const idleMs = 5 * secondMs

/** All but `beside` migrate; `copy` fills an empty database, which other roles refuse until it is complete. */
export type Role = 'engine' | 'beside' | 'copy'

export interface Upgrade extends LockWait {
  readonly migrations?: readonly Migration[]
  /** Longest wait for the lock for changes of the layout, in milliseconds. */
  readonly lockedMs?: number
}

/**
 * Migrates. @throws FatalError, without a change, when the database is another program's, of a newer tenantwatch or an
 * unfinished copy, when a copy's target is not empty, or when others use the tables of an older layout.
 */
export async function bringUpToDate(session: Session, role: Role, upgrade: Upgrade): Promise<void> {
  const { migrations = postgresMigrations(), lockedMs = mostLockedMs } = upgrade
  const untilNextTry = lockWait(upgrade)
  for (;;) {
    let isLocked = false
    const migrate = async () => {
      await session.sendText(`select pg_advisory_xact_lock(${lock})`)
      isLocked = true
      await migrateLocked(session, role, migrations)
    }
    try {
      if (role !== 'copy' && (await inLimits(session, () => isCurrent(session, migrations), lockedMs))) return
      return await inLimits(session, migrate, lockedMs)
    } catch (error) {
      if (!isLocked && isLockTimeout(error)) throw await lockedByAnother(session, lockedMs)
      if (!isBlocked(error)) throw error
    }
    await untilNextTry(session)
  }
}

/** Runs `work` in a transaction without the role's limits. @param lockedMs longest wait for a lock, in milliseconds. */
export async function inLimits<T>(session: Session, work: () => Promise<T>, lockedMs = mostLockedMs): Promise<T> {
  await session.sendText(
    `begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = ${idleMs}; set local lock_timeout = ${lockedMs}`,
  )
  try {
    const result = await work()
    await session.sendText('commit')
    return result
  } catch (error) {
    await session.sendText('rollback').catch(() => {})
    throw error
  }
}

async function migrateLocked(session: Session, role: Role, migrations: readonly Migration[]): Promise<void> {
  await session.sendText('set local lock_timeout = 0')
  const copied = await copyIn(session)
  if (copied !== null && role !== 'copy') throw halfCopied(copied)
  const at = await appliedAt(session, migrations)
  const due = migrations.filter(({ folderMillis }) => folderMillis > at)
  if (due.length > 0 && role === 'beside') throw notCurrent(at)
  if (due.length > 0 && at > 0) {
    await lockTables(session)
    await session.sendText(fenceOlderReplicas)
  }
  if (due.length > 0) for (const statement of statementsOf(due)) await session.sendText(statement)
  if (role === 'copy' && copied === null) await insistOnEmpty(session)
}

/** A current layout needs no lock: any role can hold an advisory lock. */
async function isCurrent(session: Session, migrations: readonly Migration[]): Promise<boolean> {
  if (!(await hasTable(session, marker)) || (await copyIn(session)) !== null) return false
  return (await newestApplied(session)) === newestOf(migrations)
}

/** Time of the newest applied migration; 0 = none. */
export const newestAppliedText = `select coalesce(max(created_at), 0) as at from ${marker}`

async function newestApplied(session: Session): Promise<number> {
  const { rows } = await session.sendText(newestAppliedText)
  return (rows as [{ at: number }])[0].at
}

async function lockedByAnother(session: Session, lockedMs: number): Promise<FatalError> {
  const { rows } = await session.sendText(
    `select l.pid, coalesce(a.usename, '?') as name from pg_locks l left join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.classid = 0 and l.objid = ${lock} and l.objsubid = 1 and l.granted
       and l.database = (select oid from pg_database where datname = current_database()) limit 1`,
  )
  const [holder] = rows as readonly { readonly pid: number; readonly name: string }[]
  const by = holder === undefined ? '' : `: process ${holder.pid} of the server, user ${holder.name}`
  return new FatalError(
    `Another session has held the lock for changes of the layout for ${describeDuration(lockedMs)}${by}; start again when it has ended; if it is no migration, end it with pg_terminate_backend`,
  )
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

/**
 * Prevents replicas of an older version from writing into the new layout: raises epochs, and dates their heartbeats
 * back so that they take no tenant. They remain owners until they count as dead, because they export the tenants until
 * then.
 */
export const fenceOlderReplicas =
  "update tenant_owners set epoch = epoch + 1; update replicas set seen_at = seen_at - interval '1 millisecond'"

export function postgresMigrations() {
  return readMigrationFiles({ migrationsFolder: join(migrationsFolder(), 'postgres') })
}

const newestOf = (migrations: readonly Migration[]) => Math.max(...migrations.map(({ folderMillis }) => folderMillis))

/** Time of the newest migration that this version has. */
export function newestMigration(): number {
  return newestOf(postgresMigrations())
}

/** Time of the newest applied migration; creates the table in an empty database. */
async function appliedAt(session: Session, migrations: readonly Migration[]): Promise<number> {
  const { rows } = await session.sendText(
    `select count(*) as relations, count(*) filter (where relname = '${marker}') as markers from pg_class
     where relnamespace = ${presentSchema} and relkind in ('r', 'p', 'v', 'm')`,
  )
  const [{ relations, markers }] = rows as [{ relations: number; markers: number }]
  if (markers === 0) {
    if (relations > 0) throw foreign()
    await insistOnOnlyMirror(session)
    await session.sendText(`create table ${marker} (hash text not null, created_at bigint not null)`)
    return 0
  }
  const at = await newestApplied(session)
  if (at <= newestOf(migrations)) return at
  throw newerLayout()
}

/** If the search path has changed, an empty mirror would replace the one with the history. */
async function insistOnOnlyMirror(session: Session): Promise<void> {
  const { rows } = await session.sendText(
    `select n.nspname as name, current_schema() as current from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relname = '${marker}' and c.relkind = 'r' and c.relowner = (select oid from pg_roles where rolname = current_user)`,
  )
  const [other] = rows as readonly { readonly name: string; readonly current: string }[]
  if (other === undefined) return
  throw new FatalError(
    `The mirror is in schema "${other.name}", but the search_path of the user leads to schema "${other.current}"; correct it with "alter role … set search_path", or use another database or user for a second mirror`,
  )
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
