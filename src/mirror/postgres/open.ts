import { parseAddress } from './address.ts'
import { PostgresDatabase } from './database.ts'
import { bringUpToDate, insistOnServer } from './migrate.ts'
import { openPool } from './pool.ts'
import type { Sessions } from './session.ts'
import { startError } from './store-error.ts'
import type { Timing } from './transaction.ts'

export interface OpenedPostgres extends AsyncDisposable {
  readonly database: PostgresDatabase
}

export interface PostgresOptions extends Timing {
  /** The present URL, with its password; asked again for each connection. The first one decides where the database is. */
  readonly url: () => Promise<string>
  /** `engine` brings the layout up to date. */
  readonly role: 'engine' | 'beside'
  readonly pipeline?: boolean
  readonly connections?: number
}

/** @throws FatalError when the database cannot be used as it is. */
export async function openPostgres(options: PostgresOptions): Promise<OpenedPostgres> {
  const { address } = parseAddress(await options.url())
  const { pipeline, connections } = options
  const own = { ...(pipeline !== undefined && { pipeline }), ...(connections !== undefined && { connections }) }
  const password = async () => parseAddress(await options.url()).password
  const sessions = await openPool({ address, password, ...own })
  try {
    await prepareDatabase(sessions, options.role)
  } catch (error) {
    await sessions[Symbol.asyncDispose]()
    throw startError(error, address)
  }
  return {
    database: new PostgresDatabase(sessions, options),
    [Symbol.asyncDispose]: () => sessions[Symbol.asyncDispose](),
  }
}

async function prepareDatabase(sessions: Sessions, role: 'engine' | 'beside'): Promise<void> {
  const session = await sessions.take()
  let broken = true
  try {
    await insistOnServer(session)
    await bringUpToDate(session, role)
    broken = false
  } finally {
    session.release(broken)
  }
}
