import { once } from 'node:events'
import { TLSSocket } from 'node:tls'
import type { Pool, PoolClient } from 'pg'
import { secondMs } from '../../model/durations.ts'
import type { Address } from '../db/postgres/address.ts'
import { DriverError, isFull, isRefusal } from '../db/postgres/store-error.ts'
import { Batch, notRun, type ParserOf, type Prepared, type Sent, type WireValue, wireValue } from './batch.ts'
import { clientConfig, connectMs, parserOf } from './client-config.ts'
import { guardedStream } from './guarded-stream.ts'
import { activityLimits, type ServerActivity, serverActivity } from './server-activity.ts'
import type { Answer, Session, Sessions } from './session.ts'
import type { AnyStatement } from './statement.ts'

export interface PoolOptions {
  readonly address: Address
  /** Called for each new connection, because the password may change; `refused` = the server refused the last one. */
  readonly password: (refused?: 'refused') => Promise<string | null>
  readonly connections?: number
  /** Time after which an unused connection is closed, in milliseconds. */
  readonly idleMs?: number
  /** False = a statement is sent after the previous one was answered, for poolers that do not support pipelining. */
  readonly pipeline?: boolean
  /** Called when the server accepts no more connections; true = it may accept one now. */
  readonly makeRoom?: (signal: AbortSignal) => Promise<boolean>
}

/** Connections of a process to one database. Each tenant is written by one run at a time. */
export const defaultConnections = 8

const closedAfterMs = 30 * secondMs

/** Longest wait for a connection that can be closed, in milliseconds. */
const roomMs = secondMs

/** Number of transactions for which a pool that made room stays smaller. */
const takesOfSmall = 300

/** Loads the driver, which only PostgreSQL needs. */
export async function openPool(options: PoolOptions): Promise<Sessions> {
  const { default: pg } = await import('pg')
  const { address, connections = defaultConnections, idleMs = closedAfterMs, pipeline = true } = options
  let given: string | null | undefined
  const config = {
    ...clientConfig(address, pg.types),
    async password() {
      given = await options.password()
      return given ?? ''
    },
  }
  const pool = new pg.Pool({
    ...config,
    max: connections,
    idleTimeoutMillis: idleMs,
    ...{ pipeline },
  })
  // An idle connection that breaks is replaced; its error has no effect.
  pool.on('error', () => {})
  const activity = serverActivity(() => new pg.Client({ ...config, ...activityLimits }))
  return new PoolSessions(pool, {
    parserOf: parserOf(pg.types),
    pipeline,
    activity,
    makeRoom: options.makeRoom ?? null,
    async isRenewed() {
      const refused = given
      return refused !== undefined && (await options.password('refused')) !== refused
    },
  })
}

interface Shared {
  readonly parserOf: ParserOf
  readonly pipeline: boolean
  readonly activity: ServerActivity
  readonly makeRoom: NonNullable<PoolOptions['makeRoom']> | null
  /** True if there is a password other than the refused one. */
  readonly isRenewed: () => Promise<boolean>
}

class PoolSessions implements Sessions {
  readonly #pool: Pool
  readonly #shared: Shared
  readonly #connected = new Set<PoolClient>()
  readonly #prepared = new WeakMap<PoolClient, Prepared>()
  #distrusted = new WeakSet<PoolClient>()
  /** Connections to close instead of keeping them. */
  #owed = 0
  #making: Promise<boolean> | null = null
  readonly #most: number
  /** Number of takes until the pool may have as many connections as before. */
  #smallFor = 0

  constructor(pool: Pool, shared: Shared) {
    this.#pool = pool
    this.#shared = shared
    this.#most = pool.options.max
    pool.on('connect', (client) => {
      this.#connected.add(client)
      // Errors may also occur between the server's first answer and the first statement.
      client.on('error', ignore)
      // With TLS, a second stream wraps the first one.
      const { stream } = client.connection
      if (stream instanceof TLSSocket) guardedStream(stream)
      this.#prepared.set(client, new Map())
    })
    pool.on('remove', (client) => this.#connected.delete(client))
  }

  async take(): Promise<Session> {
    if (--this.#smallFor <= 0) this.#pool.options.max = this.#most
    for (;;) {
      const client = await connectedOf(this.#pool, this.#shared)
      if (!this.#distrusted.has(client)) return this.#sessionOf(client)
      client.release(true)
      breakConnection(client)
    }
  }

  makeRoom(signal: AbortSignal): Promise<boolean> {
    this.#making ??= this.#closeOne(AbortSignal.any([signal, AbortSignal.timeout(roomMs)])).finally(() => {
      this.#making = null
    })
    return this.#making
  }

  async #closeOne(signal: AbortSignal): Promise<boolean> {
    const pool = this.#pool
    if (pool.totalCount === 0) return false
    // Otherwise waiting requests would open a new connection instead of the closed one.
    pool.options.max = Math.max(1, pool.totalCount - 1)
    this.#smallFor = takesOfSmall
    const closed = once(pool, 'remove', { signal }).then(
      () => true,
      () => false,
    )
    if (pool.idleCount === 0) this.#owed = 1
    else (await pool.connect().catch(fail)).release(true)
    const isClosed = await closed
    this.#owed = 0
    return isClosed
  }

  breakAll(): void {
    for (const client of this.#connected) breakConnection(client)
  }

  distrustAll(): void {
    this.#distrusted = new WeakSet(this.#connected)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end()
  }

  #sessionOf(client: PoolClient): Session {
    const { activity, parserOf, pipeline } = this.#shared
    return new PoolSession(client, {
      parserOf,
      pipeline,
      prepared: this.#prepared.get(client) ?? new Map(),
      isServed: () => activity.worksFor(pidOf(client), [...this.#connected].map(pidOf)),
      distrust: () => this.distrustAll(),
      mayKeep: () => {
        if (this.#owed === 0) return true
        this.#owed--
        return false
      },
    })
  }
}

function pidOf(client: PoolClient): number {
  return (client as PoolClient & { readonly processID: number }).processID
}

/** A new connection, or one of the pool's while the server accepts no more. A refused password is renewed once. */
async function connectedOf(pool: Pool, { makeRoom, isRenewed }: Shared): Promise<PoolClient> {
  let limit: AbortSignal | undefined
  let mayRenew = true
  for (;;) {
    try {
      return await pool.connect()
    } catch (error) {
      if (isRefusal(error)) {
        if (!mayRenew || !(await isRenewed().catch(() => false))) return fail(error)
        mayRenew = false
        continue
      }
      limit ??= AbortSignal.timeout(connectMs)
      const mayTry = isFull(error) && !limit.aborted && (await (makeRoom?.(limit) ?? hasRoom(pool, limit)))
      if (!mayTry) return fail(error)
    }
  }
}

/** Waits for one of the pool's connections; false = it has none. */
async function hasRoom(pool: Pool, signal: AbortSignal): Promise<boolean> {
  if (pool.totalCount === 0) return false
  if (pool.idleCount === 0) await once(pool, 'release', { signal }).catch(ignore)
  return true
}

interface SessionOptions {
  readonly prepared: Prepared
  readonly parserOf: ParserOf
  readonly pipeline: boolean
  readonly isServed: () => Promise<boolean | null>
  readonly distrust: () => void
  readonly mayKeep: () => boolean
}

class PoolSession implements Session {
  readonly #client: PoolClient
  readonly #options: SessionOptions
  /** Statements of this turn of the event loop, not sent yet. */
  #waiting: Sent[] = []
  #last: Promise<unknown> = Promise.resolve()
  #failed = false

  constructor(client: PoolClient, options: SessionOptions) {
    this.#client = client
    this.#options = options
  }

  send(statement: AnyStatement, params: readonly unknown[]): Promise<Answer> {
    const values = params.map(wireValue)
    if (this.#options.pipeline) return this.#answer(statement, values)
    const sent = this.#last.then(() => this.#answer(statement, values))
    this.#last = sent.catch(ignore)
    return sent
  }

  sendText(text: string): Promise<Answer> {
    this.#flush()
    const query = async (): Promise<Answer> => {
      const result = await this.#client.query({ text }).catch(fail)
      this.#failed = false
      const { rows, command } = [result].flat().at(-1) ?? { rows: [], command: '' }
      return { rows, command }
    }
    const sent = this.#options.pipeline ? query() : this.#last.then(query)
    this.#last = sent.catch(ignore)
    return sent
  }

  async isServed(): Promise<boolean | null> {
    // The server cannot know what this host has not sent yet.
    return this.#client.connection.stream.writableLength > 0 ? null : this.#options.isServed()
  }

  distrust(): void {
    this.#options.distrust()
  }

  release(broken: boolean): void {
    const mayKeep = this.#options.mayKeep()
    this.#client.release(broken || !mayKeep)
    if (broken) breakConnection(this.#client)
  }

  #answer(statement: AnyStatement, values: readonly WireValue[]): Promise<Answer> {
    if (this.#failed) return Promise.reject(notRun())
    const { promise, resolve: settle, reject } = Promise.withResolvers<Answer>()
    const fail = (error: unknown) => {
      this.#failed = true
      reject(error)
    }
    // Later statements of this turn are sent with it.
    if (this.#waiting.length === 0) process.nextTick(() => this.#flush())
    this.#waiting.push({ statement, values, settle, fail })
    return promise
  }

  #flush(): void {
    if (this.#waiting.length === 0) return
    const { prepared, parserOf } = this.#options
    this.#client.query(new Batch(this.#waiting, prepared, parserOf))
    this.#waiting = []
  }
}

// The error also fails each statement in progress.
function ignore(): void {}

function breakConnection({ connection }: PoolClient): void {
  connection.stream.destroy()
}

function fail(error: unknown): never {
  throw new DriverError(error)
}
