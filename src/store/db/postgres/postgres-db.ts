import { Mutex } from 'async-mutex'
import type { Clock, Random } from '../../../model/clock.ts'
import { SyncError } from '../../../model/errors.ts'
import { memoize } from '../../../model/memoize.ts'
import { minuteMs, secondMs } from '../../../model/time.ts'
import { type Db, postgresDialect, type RowMode, type Sql } from '../db.ts'
import { ask, type Connection, type Connections } from './pool.ts'
import { queryOf, translate } from './statement.ts'
import { driverCodeOf, isLost, storeError, throwDriverError } from './store-error.ts'

/** In milliseconds. */
export interface Limits {
  /** The server ends a longer statement. */
  readonly statementMs: number
  /** The server ends a transaction that waits longer for its next statement. */
  readonly idleMs: number
  /** The connection is closed if a statement is not answered for longer. */
  readonly silenceMs: number
}

export const workLimits: Limits = { statementMs: minuteMs, idleMs: 5 * secondMs, silenceMs: minuteMs + 15 * secondMs }

/** Longest wait for a lock, in milliseconds: other tenants wait, too, and a dead owner counts as alive for longer. */
const lockMs = 8 * secondMs

/** Tries of a transaction that conflicts with another one. */
const mostTries = 6
const firstPauseMs = 10

export interface PostgresOptions {
  readonly clock: Pick<Clock, 'sleep'>
  readonly random: Random
  readonly limits?: Limits
  /** By default `repeatable read`. */
  readonly isolation?: 'read committed' | 'repeatable read' | undefined
}

/** PostgreSQL, with a connection from a pool for each transaction. */
export class PostgresDb implements Db {
  readonly dialect = postgresDialect
  readonly #connections: Connections
  readonly #options: PostgresOptions
  /** Statements by their text, translated once for all connections. */
  readonly #translated = memoize(translate)
  readonly #begin: string

  constructor(connections: Connections, options: PostgresOptions) {
    this.#connections = connections
    this.#options = options
    this.#begin = beginning(options)
  }

  /**
   * The same database, whose every write first locks rows against other owners, or throws SyncError `aborted` and
   * writes nothing. Its writes run one after the other, because they would conflict and be repeated.
   *
   * @param fence statement without parameters that selects the rows.
   */
  fencedBy(fence: string): Db {
    const writing = new Mutex()
    return {
      dialect: this.dialect,
      read: (work) => this.read(work),
      write: (work) => writing.runExclusive(() => this.#transaction('read write', work, `${fence} for key share`)),
    }
  }

  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#transaction('read only', work)
  }

  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#transaction('read write', work)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections.end()
  }

  /** Runs `work` again after a conflict with another transaction. */
  async #transaction<T>(access: Access, work: (sql: Sql) => Promise<T>, fence?: string): Promise<T> {
    const { clock, random } = this.#options
    for (let tries = 1; ; tries++) {
      try {
        return await this.#attempt(access, work, fence)
      } catch (error) {
        if (!isConflict(error) || tries === mostTries) throw storeError(error)
        await clock.sleep(firstPauseMs * 2 ** (tries - 1) * (0.5 + random()))
      }
    }
  }

  async #attempt<T>(access: Access, work: (sql: Sql) => Promise<T>, fence?: string): Promise<T> {
    const connection = await this.#connections.connect().catch(throwDriverError)
    const run = async <Row>(text: string, params: readonly unknown[] = [], mode: RowMode = 'objects') => {
      const { rows } = await ask(connection, queryOf(this.#translated(text), params, mode))
      return (mode === 'values' ? rows.map((row) => (row as readonly unknown[])[0]) : rows) as Row[]
    }
    const sql: Sql = Object.assign(run, { dialect: this.dialect })
    try {
      const begin = `begin ${access}, ${this.#begin}`
      const { rows: owned } = await ask(connection, { text: fence === undefined ? begin : `${begin}; ${fence}` })
      if (fence !== undefined && owned.length === 0)
        throw new SyncError('aborted', 'Another replica owns the tenant and continues there, or the server restarted')
      const result = await work(sql)
      const { command } = await ask(connection, { text: 'commit' })
      // The answer to the commit of a transaction with a failed statement.
      if (command === 'ROLLBACK') throw new TypeError('The work of a transaction continued after a failed statement')
      connection.release(false)
      return result
    } catch (error) {
      connection.release(isLost(error) || !(await isRolledBack(connection)))
      throw error
    }
  }
}

type Access = 'read only' | 'read write'

/** Overrides the limits of role and database. */
function beginning({ limits = workLimits, isolation = 'repeatable read' }: PostgresOptions): string {
  return `isolation level ${isolation}; set local statement_timeout = ${limits.statementMs};
    set local idle_in_transaction_session_timeout = ${limits.idleMs}; set local lock_timeout = ${lockMs}`
}

async function isRolledBack(connection: Connection): Promise<boolean> {
  try {
    await ask(connection, { text: 'rollback' })
    return true
  } catch {
    return false
  }
}

/** True for a serialization failure or a deadlock: nothing of the transaction was stored. */
function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(driverCodeOf(error))
}
