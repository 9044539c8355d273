import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../../model/log.ts'
import { minuteMs, secondMs } from '../../../model/time.ts'
import { type Address, parseAddress } from './address.ts'
import { bringUpToDate, type Role } from './migrate.ts'
import { openPool, type Password, type PoolOptions } from './pool.ts'
import { type Limits, PostgresDb, type PostgresOptions, workLimits } from './postgres-db.ts'
import { assertServer } from './server.ts'
import { startError } from './store-error.ts'

export interface OpenOptions extends Pick<PostgresOptions, 'clock' | 'random'> {
  /** The current URL, with its password; called for each connection. The first one decides where the database is. */
  readonly url: () => Promise<string>
  readonly role: Role
  readonly log?: Log
}

export type OpenedPostgres = Awaited<ReturnType<typeof openPostgres>>

type Lane = Pick<PoolOptions, 'connections' | 'idleMs'> &
  Pick<PostgresOptions, 'isolation'> & { readonly limits: Limits }

/** Connections and limits of each. */
const lanes = {
  /** For the start: a migration may take long, and sees what others commit while it waits for them. */
  start: {
    connections: 1,
    idleMs: secondMs,
    isolation: 'read committed',
    limits: { statementMs: 0, idleMs: 5 * secondMs, silenceMs: 0 },
  },
  /** For runs and evaluations. */
  work: { connections: 8, idleMs: 30 * secondMs, limits: workLimits },
  /** For answers that a client waits for. A failed scrape is soon requested again; scrapes may be minutes apart. */
  show: {
    connections: 4,
    idleMs: 10 * minuteMs,
    limits: { ...workLimits, statementMs: 15 * secondMs, silenceMs: 20 * secondMs },
  },
  /** For the renewal of leases, which must not wait for other work: one that takes longer is too late. */
  lease: {
    connections: 2,
    idleMs: 30 * secondMs,
    limits: { statementMs: 4 * secondMs, idleMs: 4 * secondMs, silenceMs: 5 * secondMs },
  },
} as const satisfies Record<string, Lane>

/**
 * One database, with connections of its own for each kind of work.
 *
 * @throws FatalError when the database cannot be used as it is, UsageError when the URL is invalid.
 */
export async function openPostgres(options: OpenOptions) {
  const { clock, random, role } = options
  const first = parseAddress(await options.url())
  const { address } = first
  const source = { address, password: currentPassword(options, first) }
  const openLane = async ({ connections, idleMs, limits, isolation }: Lane) => {
    const pool = await openPool({ ...source, connections, idleMs, silenceMs: limits.silenceMs })
    return new PostgresDb(pool, { clock, random, limits, isolation })
  }
  await prepareDatabase(await openLane(lanes.start), role).catch((error: unknown) => {
    throw startError(error, address)
  })
  await using opening = new AsyncDisposableStack()
  const open = async (lane: Lane) => opening.use(await openLane(lane))
  const dbs = { work: await open(lanes.work), show: await open(lanes.show), lease: await open(lanes.lease) }
  const opened = opening.move()
  return { ...dbs, address, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Checks the server, which may be read-only, and migrates. */
async function prepareDatabase(starting: PostgresDb, role: Role): Promise<void> {
  await using db = starting
  await db.read(assertServer)
  await db.write((sql) => bringUpToDate(sql, role))
}

/**
 * Reads the current password of the URL; the last one is used while the URL cannot be read, as while its file is
 * replaced, and while it names another database or user, which takes a restart.
 *
 * @param first the URL as first read, whose address is used until the end of the process.
 */
export function currentPassword(
  { url, log }: Pick<OpenOptions, 'log' | 'url'>,
  first: ReturnType<typeof parseAddress>,
): Password {
  let last = first.password
  return async () => {
    try {
      const { address, password } = parseAddress(await url())
      if (isDeepStrictEqual(whereOf(address), whereOf(first.address))) last = password
      else
        log?.warn(
          {},
          'The URL names another database or user, which takes a restart: connecting with the last password',
        )
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      log?.warn({ problem }, 'The URL of the database cannot be read: connecting with its last password')
    }
    return last
  }
}

function whereOf({ host, port, database, user }: Address) {
  return [host, port, database, user]
}
