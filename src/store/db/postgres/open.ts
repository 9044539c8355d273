import type { Log } from '../../../model/log.ts'
import { minuteMs, secondMs } from '../../../model/time.ts'
import { parseAddress, shown } from './address.ts'
import { bringUpToDate, inTransaction, type Role } from './migrate.ts'
import { openPool, overConnection, type Password, type PoolOptions } from './pool.ts'
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

type Lane = Pick<PoolOptions, 'connections' | 'idleMs'> & { readonly limits: Limits }

/** Connections and limits of each. */
const lanes = {
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
  const searchPath = await prepareDatabase(source, role).catch((error: unknown) => {
    throw startError(error, address)
  })
  await using opening = new AsyncDisposableStack()
  const open = async ({ connections, idleMs, limits }: Lane) => {
    const pool = await openPool({ ...source, connections, idleMs, silenceMs: limits.silenceMs })
    return opening.use(new PostgresDb(pool, { clock, random, limits, searchPath }))
  }
  const dbs = { work: await open(lanes.work), show: await open(lanes.show), lease: await open(lanes.lease) }
  const opened = opening.move()
  return { ...dbs, address, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** The existing schemas of the search path, so that a later schema with the user's name does not precede them. */
const searchPathText = `select string_agg(quote_ident(name), ', ' order by place) as path
  from unnest(current_schemas(false)) with ordinality as present (name, place)`

/**
 * Checks the server and migrates, over a connection without a limit for a statement.
 *
 * @returns the search path to the tables.
 */
function prepareDatabase(source: Pick<PoolOptions, 'address' | 'password'>, role: Role): Promise<string> {
  return overConnection({ ...source, silenceMs: 0 }, (connection) =>
    inTransaction(connection, async (run) => {
      await assertServer(run)
      await bringUpToDate(run, role)
      const [row] = await run<{ readonly path: string }>(searchPathText)
      return row?.path ?? ''
    }),
  )
}

/**
 * Reads the current password of the URL; the last one is used while the URL cannot be read, as while its file is
 * replaced.
 *
 * @param first the URL as first read, whose address is used until the end of the process.
 */
export function currentPassword(
  { url, log }: Pick<OpenOptions, 'log' | 'url'>,
  first: ReturnType<typeof parseAddress>,
): Password {
  let last = first.password
  let warned = ''
  const warnOnce = (fields: object, message: string) => {
    if (message !== warned) log?.warn(fields, message)
    warned = message
  }
  return async () => {
    try {
      const { address, password } = parseAddress(await url())
      last = password
      if (shown(address) === shown(first.address)) warned = ''
      else warnOnce({ inUse: shown(first.address), named: shown(address) }, elsewhere)
    } catch (error) {
      warnOnce({ problem: error instanceof Error ? error.message : String(error) }, unreadable)
    }
    return last
  }
}

const unreadable = 'The URL of the database cannot be read: connecting with its last password'

const elsewhere =
  'store.url names another host, port or database than the one in use: it takes a restart of all replicas at the same time'
