import type { Clock, Random } from '../../model/clock.ts'
import { describeDuration, minuteMs, secondMs } from '../../model/durations.ts'
import { FatalError } from '../../model/errors.ts'
import type { Log } from '../../model/log.ts'
import { DriverError, driverCodeOf } from '../db/postgres/store-error.ts'
import { presentSchema } from './present-schema.ts'
import type { Session } from './session.ts'

const lockNotAvailable = '55P03'
const deadlockDetected = '40P01'
const queryCanceled = '57014'

/** For one table, in milliseconds; longer than the usual deadlock_timeout, after which an autovacuum gives way. */
const lockMs = 1500

/** For all tables, in milliseconds: other sessions wait as long, and a replica works 6 s without a heartbeat. */
const locksMs = 2500

/** Between two tries, in milliseconds: enough for replicas of the older version to send two heartbeats. */
const pauseMs = 4 * secondMs

/** From the first try to the last one, in milliseconds. */
const mostBlockedMs = 5 * minuteMs

/** Most blockers that are named. */
const mostNamed = 3

/** Tables of heartbeats are locked last, so that heartbeats can continue while other tables are waited for. */
const ofHeartbeats = `c.relname in ('replicas', 'tenant_owners', 'tenantwatch_migrations')`

/** Without relations of extensions and other roles, which migrations do not change and the user may not lock. */
const relations = `select string_agg(format('%I', c.relname), ', ' order by ${ofHeartbeats}, c.relkind = 'v', c.oid) as names
  from pg_class c where c.relnamespace = ${presentSchema} and c.relkind in ('r', 'p', 'v')
    and c.relowner = (select relowner from pg_class where relnamespace = ${presentSchema} and relname = 'tenantwatch_migrations')
    and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

/**
 * Locks all tables and views until the end of the transaction, before any row: a migration that waited for one table
 * would block all others meanwhile.
 *
 * @throws DriverError that `isBlocked` when other sessions use one of them.
 */
export async function lockTables(session: Session): Promise<void> {
  const [{ names }] = (await session.sendText(relations)).rows as [{ names: string }]
  await session.sendText(`set local lock_timeout = ${lockMs}; set local statement_timeout = ${locksMs}`)
  await session.sendText(`lock table ${names} in access exclusive mode`).catch((error: unknown) => {
    throw driverCodeOf(error) === queryCanceled ? new DriverError({ code: lockNotAvailable, message: 'Locked' }) : error
  })
  await session.sendText('set local statement_timeout = 0')
}

/** True if another session blocked it: nothing was changed, and a retry is possible. */
export function isBlocked(error: unknown): boolean {
  return isLockTimeout(error) || driverCodeOf(error) === deadlockDetected
}

export function isLockTimeout(error: unknown): boolean {
  return driverCodeOf(error) === lockNotAvailable
}

export interface LockWait {
  readonly clock: Pick<Clock, 'sleep'>
  readonly random: Random
  readonly log?: Log
  /** From the first try to the last one, in milliseconds. */
  readonly blockedMs?: number
}

/**
 * Call after a blocked try, outside of its transaction: waits for the next one. Logs once which sessions block it.
 *
 * @throws FatalError after the last try.
 */
export function lockWait({ clock, random, log, blockedMs = mostBlockedMs }: LockWait) {
  let waitedMs = 0
  let isLogged = false
  return async (session: Session): Promise<void> => {
    const by = await blockers(session)
    waitedMs += lockMs
    if (waitedMs >= blockedMs) throw blocked(by, waitedMs)
    if (by !== null && !isLogged) {
      isLogged = true
      log?.warn(
        { blockedBy: by, hint: `End ${blocker}` },
        'The upgrade of the layout waits for tables that others use; trying again',
      )
    }
    const ms = pauseMs * (0.75 + 0.5 * random())
    await clock.sleep(ms)
    waitedMs += ms
  }
}

const blocker = 'that transaction, or its session with pg_terminate_backend'

function blocked(by: string | null, waitedMs: number): FatalError {
  const who = by ?? 'transactions of other sessions, which ended meanwhile'
  return new FatalError(
    `The layout of the database could not be changed within ${describeDuration(waitedMs)}, because its tables are in use: ${who}; nothing was changed; end ${blocker}, and start again`,
  )
}

interface Blocker {
  /** Null = a prepared transaction. */
  readonly pid: number | null
  readonly role: string | null
  readonly application: string | null
  /** Null if the role may not see it. */
  readonly since: string | null
}

/** Blocking sessions, without query texts, which may contain names. Sessions that began later did not block. */
const blocking = `select l.pid, a.usename as role, nullif(a.application_name, '') as application,
    to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
  from (select distinct pid from pg_locks where locktype = 'relation' and granted
      and database = (select oid from pg_database where datname = current_database())
      and relation in (select oid from pg_class where relnamespace = ${presentSchema})) l
  left join pg_stat_activity a on a.pid = l.pid
  where l.pid is distinct from pg_backend_pid()
    and (a.xact_start is null or a.xact_start < clock_timestamp() - interval '${lockMs} milliseconds')
  order by a.xact_start nulls last limit ${mostNamed}`

async function blockers(session: Session): Promise<string | null> {
  const rows = (await session.sendText(blocking)).rows as readonly Blocker[]
  return rows.length === 0 ? null : rows.map(named).join(', ')
}

function named({ pid, role, application, since }: Blocker): string {
  if (pid === null) return 'a prepared transaction (see pg_prepared_xacts)'
  const facts = [
    role === null ? [] : `role ${role}`,
    application === null ? [] : `application ${application}`,
    since === null ? [] : `in a transaction since ${since}`,
  ].flat()
  return `process ${pid} of the server${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
}
