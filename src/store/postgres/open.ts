import { minuteMs } from '../../model/durations.ts'
import type { Log } from '../../model/log.ts'
import { type Address, parseAddress } from '../db/postgres/address.ts'
import { startError } from '../db/postgres/store-error.ts'
import { PostgresDatabase } from './database.ts'
import { twoLanes } from './lanes.ts'
import { bringUpToDate, inLimits, type Role } from './migrate.ts'
import { openPool, type PoolOptions } from './pool.ts'
import { presentPassword } from './present-password.ts'
import { insistOnServer } from './server-check.ts'
import type { Sessions } from './session.ts'
import type { Timing } from './transaction.ts'

export interface OpenedPostgres extends AsyncDisposable {
  readonly database: PostgresDatabase
}

export interface PostgresOptions extends Timing {
  /**
   * The current URL, with its password; called for each connection, with `refused` after the server refused the last
   * password. The first one decides where the database is.
   */
  readonly url: (refused?: 'refused') => Promise<string>
  readonly role: Role
  readonly pipeline?: boolean
  readonly connections?: number
  readonly makeRoom?: PoolOptions['makeRoom']
  /** Number of additional connections for `readToShow` only. */
  readonly toShow?: number
  readonly log?: Log
}

/** @throws FatalError when the database cannot be used as it is, UsageError when the URL is invalid. */
export async function openPostgres(options: PostgresOptions): Promise<OpenedPostgres & { readonly address: Address }> {
  const first = parseAddress(await options.url())
  const { address } = first
  const { pipeline, connections, makeRoom, toShow } = options
  const password = presentPassword(options, first)
  const pool = { address, password, ...(pipeline !== undefined && { pipeline }) }
  const own = { ...(connections !== undefined && { connections }), ...(makeRoom !== undefined && { makeRoom }) }
  const work = await openPool({ ...pool, ...own })
  // Scrapes may be minutes apart.
  const lane = toShow === undefined ? null : await openPool({ ...pool, connections: toShow, idleMs: 10 * minuteMs })
  const sessions = lane === null ? work : twoLanes(work, lane)
  let searchPath: string
  try {
    searchPath = await prepareDatabase(sessions, options)
  } catch (error) {
    await sessions[Symbol.asyncDispose]()
    throw startError(error, address)
  }
  return {
    address,
    database: new PostgresDatabase(sessions, { ...options, searchPath }),
    [Symbol.asyncDispose]: () => sessions[Symbol.asyncDispose](),
  }
}

/** The existing schemas of the search path, so that a later schema with the user's name does not precede them. */
const presentPath = `select string_agg(quote_ident(name), ', ' order by place) as path
  from unnest(current_schemas(false)) with ordinality as present (name, place)`

/** @returns the search path to the tables. */
async function prepareDatabase(sessions: Sessions, options: PostgresOptions): Promise<string> {
  const session = await sessions.take()
  let broken = true
  try {
    await inLimits(session, () => insistOnServer(session))
    await bringUpToDate(session, options.role, options)
    const { rows } = await inLimits(session, () => session.sendText(presentPath))
    broken = false
    return (rows as [{ readonly path: string }])[0].path
  } finally {
    session.release(broken)
  }
}
