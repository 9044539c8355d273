import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Mirror } from '../../../src/store/port.ts'
import { parseAddress } from '../../../src/store/db/postgres/address.ts'
import { parsers } from '../../../src/store/db/postgres/codec.ts'
import { PostgresDatabase } from '../../../src/store/postgres/database.ts'
import { dropDerived, makeDerived } from '../../../src/store/postgres/derived.ts'
import { postgresMigrations } from '../../../src/store/db/postgres/migrate.ts'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { postgresMirror } from '../../../src/store/db/postgres/postgres-mirror.ts'
import type { Answer, Sessions } from '../../../src/store/postgres/session.ts'
import type { AnyStatement } from '../../../src/store/postgres/statement.ts'
import { DriverError } from '../../../src/store/db/postgres/store-error.ts'
import type { Timing } from '../../../src/store/postgres/transaction.ts'
import type { VirtualTime } from '../virtual-time.ts'
import { auditStatements } from './audit.ts'
import { clockStatements } from './virtual-clock.ts'

/** A statement that waits for a lock at so many looks is blocked: then time moves on without its answer. */
const blockedLooks = 3
const lookEveryMs = 15
const besideTiming: Timing = {
  clock: { sleep: (_, signal) => (signal === undefined ? delay(5).then(() => {}) : new Promise(() => {})) },
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
  readonly config: Config
  readonly ended: (outcome: { readonly answer: Answer } | { readonly error: unknown }) => Promise<void>
}

type Config = pg.QueryConfig & { rowMode?: 'array' }

/** A database of the real server, whose clock is the virtual one, and whose statements run in the order of their arrival. */
export class DatabaseServer {
  readonly #url: string
  readonly #time: VirtualTime
  readonly #control: pg.Client
  readonly #jobs: Job[] = []
  readonly #idle: pg.Client[] = []
  readonly #all = new Set<pg.Client>()
  readonly #waiting = new Set<ServerConnection>()
  readonly #names = new Map<string, string>()
  #shownTime = 0
  /** Beside the life, at once. */
  readonly mirror: Mirror

  private constructor(url: string, time: VirtualTime, control: pg.Client, beside: Sessions) {
    this.#url = url
    this.#time = time
    this.#control = control
    this.mirror = postgresMirror({
      database: new PostgresDatabase(beside, besideTiming),
      [Symbol.asyncDispose]: () => beside[Symbol.asyncDispose](),
    })
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
    const beside = await openPool({ address, password: () => Promise.resolve(password), connections: 2 })
    return new DatabaseServer(own, time, await connect(own), beside)
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
  send(
    on: ServerConnection,
    { text, rows }: AnyStatement,
    params: readonly unknown[],
    answered?: (answer: Answer) => Promise<void>,
  ): Promise<Answer> {
    const name = this.#names.get(text) ?? `s${this.#names.size}`
    this.#names.set(text, name)
    const config = { name, text, values: [...params] }
    const answer = this.#run(on, rows === 'objects' ? config : { ...config, rowMode: 'array' as const }, answered)
    if (rows !== 'values') return answer
    return answer.then(({ rows: found, ...rest }) => ({ ...rest, rows: found.map((row) => (row as unknown[])[0]) }))
  }

  sendText(on: ServerConnection, text: string): Promise<Answer> {
    return this.#run(on, { text })
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
    else await this.#runStatements([job.statement, ...this.#nextOn(job.statement.on)])
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

  #run(on: ServerConnection, config: Config, answered?: (answer: Answer) => Promise<void>): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const ended: Statement['ended'] = async (outcome) => {
      if ('error' in outcome) return reject(new DriverError(outcome.error))
      await answered?.(outcome.answer)
      resolve(outcome.answer)
    }
    this.#jobs.push({ statement: { on, config, ended } })
    return promise
  }

  /** What was sent on the same connection without waiting. */
  #nextOn(on: ServerConnection): readonly Statement[] {
    const found: Statement[] = []
    for (let next = this.#jobs[0]; next?.statement?.on === on; next = this.#jobs[0]) {
      found.push(next.statement)
      this.#jobs.shift()
    }
    return found
  }

  async #runStatements(statements: readonly [Statement, ...Statement[]]): Promise<void> {
    const [{ on }] = statements
    await this.#showTime(statements.map(({ config }) => config.text).join())
    let isDone = false
    const run = async () => {
      const answers = await Promise.allSettled(
        inOneWrite(
          on.client,
          statements.map(({ config }) => config),
        ),
      )
      for (const [i, { ended }] of statements.entries()) {
        const settled = answers[i]
        if (settled?.status === 'fulfilled') await ended({ answer: answerOf(settled.value) })
        else await ended({ error: settled?.reason })
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
    await client.query('create table tenantwatch_migrations (hash text not null, created_at bigint not null)')
    for (const { sql, hash, folderMillis } of postgresMigrations()) {
      for (const statement of sql) await client.query(statement)
      await client.query('insert into tenantwatch_migrations values ($1, $2)', [hash, folderMillis])
    }
    await client.query([...dropDerived, ...makeDerived()].join(';\n'))
    for (const statement of auditStatements) await client.query(statement)
  })
}

export async function dropDatabase(url: string, name: string): Promise<void> {
  await withClient(url, (main) => main.query(`drop database if exists ${name} with (force)`))
}

function urlOf(server: string, database: string): string {
  return server.replace(/[^/]*$/, database)
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, types, ...{ pipeline: true } })
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

function inOneWrite(client: pg.Client, configs: readonly Config[]): readonly Promise<pg.QueryResult>[] {
  const { stream } = (client as pg.Client & { connection: { stream: Writable } }).connection
  stream.cork()
  const answers = configs.map((config) => client.query(config))
  stream.uncork()
  return answers
}

function processOf(client: pg.Client): number {
  return (client as pg.Client & { processID: number }).processID
}

function answerOf(result: pg.QueryResult | pg.QueryResult[]): Answer {
  const { rows, command } = [result].flat().at(-1) ?? { rows: [], command: '' }
  return { rows, command }
}
