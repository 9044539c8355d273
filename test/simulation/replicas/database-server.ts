import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { minuteMs } from '../../../src/model/durations.ts'
import { parseAddress } from '../../../src/store/db/postgres/address.ts'
import { createMarker, postgresMigrations, statementsOf } from '../../../src/store/db/postgres/migrate.ts'
import { type Answer, openPool } from '../../../src/store/db/postgres/pool.ts'
import { PostgresDb } from '../../../src/store/db/postgres/postgres-db.ts'
import { postgresMirror } from '../../../src/store/db/postgres/postgres-mirror.ts'
import { parsers, type Query } from '../../../src/store/db/postgres/statement.ts'
import type { Mirror } from '../../../src/store/port.ts'
import type { VirtualTime } from '../virtual-time.ts'
import { auditStatements } from './audit.ts'
import { clockStatements } from './virtual-clock.ts'

/** A statement that waits for a lock at so many looks is blocked: then time moves on without its answer. */
const blockedLooks = 3
const lookEveryMs = 15
const beside = {
  clock: { sleep: () => delay(5).then(() => {}) },
  random: () => 0.5,
}
const types = { getTypeParser: (type: number) => parsers[type] ?? pg.types.getTypeParser(type) }

export interface ServerConnection {
  readonly client: pg.Client
  /** Its statement that waits for a lock, if any. */
  blocked: Promise<void> | null
}

/** What reached the server. */
type Job = { readonly statement: Statement } | { readonly statement: null; readonly work: () => Promise<void> }

interface Statement {
  readonly on: ServerConnection
  readonly query: Query
  readonly ended: (outcome: { readonly answer: Answer } | { readonly error: unknown }) => Promise<void>
}

/** A database of the real server, whose clock is the virtual one, and whose statements run in the order of their arrival. */
export class DatabaseServer {
  readonly #url: string
  readonly #time: VirtualTime
  /** One connection, for one query after the other. */
  readonly #control: pg.Pool
  readonly #jobs: Job[] = []
  readonly #idle: pg.Client[] = []
  readonly #all = new Set<pg.Client>()
  readonly #waiting = new Set<ServerConnection>()
  #shownTime = 0
  /** Beside the life, at once. */
  readonly mirror: Mirror

  private constructor(url: string, time: VirtualTime, control: pg.Pool, db: PostgresDb) {
    this.#url = url
    this.#time = time
    this.#control = control
    const mirror = postgresMirror(db)
    this.mirror = {
      ...mirror,
      async [Symbol.asyncDispose]() {
        await mirror[Symbol.asyncDispose]()
        await db[Symbol.asyncDispose]()
      },
    }
  }

  /** @param template made by `makeTemplate` on the same server. */
  static async open(url: string, template: string, name: string, time: VirtualTime): Promise<DatabaseServer> {
    await withClient(url, async (main) => {
      await main.query(`drop database if exists ${name} with (force)`)
      await main.query(`create database ${name} template ${template}`)
      await main.query(`alter database ${name} set search_path = public, pg_catalog`)
      await main.query(`alter database ${name} set deadlock_timeout = '20ms'`)
    })
    const own = urlOf(url, name)
    const { address, password } = parseAddress(own)
    const limits = { connections: 2, idleMs: minuteMs, silenceMs: minuteMs }
    const pool = await openPool({ address, password: async () => password, ...limits })
    const control = new pg.Pool({ connectionString: own, types, max: 1, idleTimeoutMillis: 0 })
    control.on('error', () => {})
    return new DatabaseServer(own, time, control, new PostgresDb(pool, beside))
  }

  connect(): Promise<ServerConnection> {
    return this.#enqueue(async () => {
      const client = this.#idle.pop() ?? (await connect(this.#url))
      this.#all.add(client)
      return { client, blocked: null }
    })
  }

  /** Puts a connection without a transaction back. */
  reuse({ client }: ServerConnection): void {
    this.#idle.push(client)
  }

  /** @param answered is run when the answer is there, before anything else is. */
  send(on: ServerConnection, query: Query, answered?: (answer: Answer) => Promise<void>): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const ended: Statement['ended'] = async (outcome) => {
      if ('error' in outcome) return reject(outcome.error)
      await answered?.(outcome.answer)
      resolve(outcome.answer)
    }
    this.#jobs.push({ statement: { on, query, ended } })
    return promise
  }

  /** Ends a statement that waits for a lock; it fails. */
  cancel(on: ServerConnection): Promise<void> {
    return this.#enqueue(async () => {
      if (on.blocked === null) return
      await this.#control.query('select pg_cancel_backend($1)', [processOf(on.client)])
      await on.blocked
    })
  }

  /** The server states another start, from the next statement on. */
  restarted(times: number): Promise<void> {
    return this.#enqueue(async () => {
      await this.#control.query(`select setval('virtual_start', $1)`, [times + 1])
    })
  }

  /** Beside the life, at once. */
  async query(sql: string, ...values: readonly unknown[]): Promise<Record<string, unknown>[]> {
    let at = 0
    const text = sql.replaceAll('?', () => `$${++at}`)
    return (await this.#control.query(text, [...values])).rows
  }

  /** Runs what arrived first to its answer, or until it waits for a lock. False when there is none. */
  async runNext(): Promise<boolean> {
    const job = this.#jobs.shift()
    if (job === undefined) return false
    if (job.statement === null) await job.work()
    else await this.#runStatement(job.statement)
    await this.#settleUnblocked()
    return true
  }

  async close(): Promise<void> {
    const name = this.#url.replace(/.*\//, '')
    await this.#control.end()
    await this.mirror[Symbol.asyncDispose]()
    await withClient(urlOf(this.#url, 'postgres'), (main) => main.query(`drop database ${name} with (force)`))
    for (const client of this.#all) void client.end().catch(() => {})
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#jobs.push({ statement: null, work: () => work().then(resolve, reject) })
    return promise
  }

  async #runStatement({ on, query, ended }: Statement): Promise<void> {
    await this.#showTime(query.text)
    let isDone = false
    const run = async () => {
      try {
        await ended({ answer: answerOf(await on.client.query({ ...query })) })
      } catch (error) {
        await ended({ error })
      }
      isDone = true
      on.blocked = null
      this.#waiting.delete(on)
    }
    on.blocked = run()
    await this.#untilDoneOrBlocked(on, () => isDone)
    if (!isDone) this.#waiting.add(on)
  }

  /** Only what reads the clock needs it. */
  async #showTime(text: string): Promise<void> {
    if (this.#shownTime === this.#time.now || !text.includes('clock_timestamp')) return
    this.#shownTime = this.#time.now
    await this.#control.query(`select setval('virtual_now', $1)`, [this.#shownTime])
  }

  async #untilDoneOrBlocked({ client, blocked }: ServerConnection, isDone: () => boolean): Promise<void> {
    for (let looks = 0; !isDone() && looks < blockedLooks; ) {
      await Promise.race([blocked, delay(lookEveryMs)])
      if (isDone()) return
      looks = (await this.#waitsForLock(client)) ? looks + 1 : 0
    }
  }

  /** What waited for the lock that the last statement released runs on before anything else. */
  async #settleUnblocked(): Promise<void> {
    for (const on of [...this.#waiting]) {
      while (on.blocked !== null && !(await this.#waitsForLock(on.client))) await Promise.race([on.blocked, delay(2)])
    }
  }

  /** For one that another connection of the life has: autovacuum, for example, gives its locks back in real time. */
  async #waitsForLock(client: pg.Client): Promise<boolean> {
    const { rows } = await this.#control.query(`select pg_blocking_pids($1) && $2 as blocked`, [
      processOf(client),
      [...this.#all].map(processOf),
    ])
    return rows[0].blocked
  }
}

/** A database with the present layout, a clock that can be set and an audit of writes; copied for each life. */
export async function makeTemplate(url: string, name: string): Promise<void> {
  await withClient(url, async (main) => {
    await main.query(`drop database if exists ${name} with (force)`)
    await main.query(`create database ${name}`)
  })
  await withClient(urlOf(url, name), async (client) => {
    for (const statement of clockStatements) await client.query(statement)
    await client.query('set search_path = public, pg_catalog')
    const statements = [createMarker, ...statementsOf(postgresMigrations()), ...auditStatements]
    for (const statement of statements) await client.query(statement)
  })
}

export async function dropDatabase(url: string, name: string): Promise<void> {
  await withClient(url, (main) => main.query(`drop database if exists ${name} with (force)`))
}

function urlOf(server: string, database: string): string {
  return server.replace(/[^/]*$/, database)
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, types })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function withClient(url: string, use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = await connect(url)
  try {
    await use(client)
  } finally {
    await client.end()
  }
}

function processOf(client: pg.Client): number {
  return (client as pg.Client & { processID: number }).processID
}

function answerOf(result: pg.QueryResult | pg.QueryResult[]): Answer {
  const { rows, command } = [result].flat().at(-1) ?? { rows: [], command: '' }
  return { rows, command }
}
