import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { Mutex } from 'async-mutex'
import { onTestFinished } from 'vitest'
import { parseAddress } from '../../src/store/db/postgres/address.ts'
import { createMarker, postgresMigrations, statementsOf } from '../../src/store/db/postgres/migrate.ts'
import { type Connection, type Connections, openPool } from '../../src/store/db/postgres/pool.ts'
import { PostgresDb, type PostgresOptions } from '../../src/store/db/postgres/postgres-db.ts'
import { encodeParameter } from '../../src/store/db/postgres/statement.ts'
import { DriverError } from '../../src/store/db/postgres/store-error.ts'
import type { Reply, Request, WorkerData } from './postgres-worker.ts'

/** Of a server that tests may make databases on; else PostgreSQL within a thread of this process. */
const url = process.env['TEST_POSTGRES_URL'] ?? null

/** Some tests need a server: the program opens connections of its own. */
export const isOnServer = url !== null

export interface TestPostgres {
  /** For `store.url`; null within this process. */
  readonly url: string | null
  /** Connections as of a process: `sever` ends them as its death does. */
  connect(): Connections & { sever(): void }
  query(sql: string, ...values: readonly unknown[]): Record<string, unknown>[]
  drop(): Promise<void>
}

interface Server {
  readonly port: MessagePort
  readonly answered: Int32Array
  readonly waiting: Map<number, (reply: Reply) => void>
}

let started: Server | undefined
let requests = 0
let spaces = 0

function server(): Server {
  started ??= start()
  return started
}

function start(): Server {
  const { port1, port2 } = new MessageChannel()
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const data: WorkerData = { url, port: port2, answered }
  const script = new URL('./postgres-worker.ts', import.meta.url)
  new Worker(script, { workerData: data, transferList: [port2] }).unref()
  const waiting = new Map<number, (reply: Reply) => void>()
  port1.on('message', (reply: Reply) => settle(waiting, reply))
  port1.unref()
  return { port: port1, answered, waiting }
}

function settle(waiting: Server['waiting'], reply: Reply): void {
  waiting.get(reply.id)?.(reply)
  waiting.delete(reply.id)
}

type Asked = Omit<Request, 'id'>

function rowsOf({ rows, error }: Reply): readonly unknown[] {
  if (error !== null) throw new DriverError(error)
  return rows.map(withBuffers)
}

/** Bytes lose their class between threads. */
function withBuffers(row: unknown): unknown {
  const given = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value) : value)
  if (Array.isArray(row)) return row.map(given)
  return Object.fromEntries(Object.entries(row as object).map(([name, value]) => [name, given(value)]))
}

function ask(asked: Asked): Promise<readonly unknown[]> {
  const { port, waiting } = server()
  const id = ++requests
  port.ref()
  const replied = new Promise<Reply>((resolve) => waiting.set(id, resolve))
  port.postMessage({ ...asked, id } satisfies Request)
  return replied.then((reply) => {
    if (waiting.size === 0) port.unref()
    return rowsOf(reply)
  })
}

/** Blocks this thread until the answer is there. */
function askNow(asked: Asked): readonly unknown[] {
  const { port, answered, waiting } = server()
  const id = ++requests
  port.postMessage({ ...asked, id } satisfies Request)
  for (;;) {
    const seen = Atomics.load(answered, 0)
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      const reply = next.message as Reply
      if (reply.id === id) return rowsOf(reply)
      settle(waiting, reply)
    }
    Atomics.wait(answered, 0, seen, 1000)
  }
}

const main = url === null ? 'public' : (url.match(/[^/]*$/)?.[0] ?? '')
const kind = url === null ? 'schema' : 'database'
const exec = (space: string, text: string) => askNow({ space, text, params: null, asArrays: false })

/** An empty database, or one with the present layout. */
export function testPostgres(layout: 'empty' | 'current' = 'current'): TestPostgres {
  const space = `test_${process.pid}_${++spaces}`
  exec(main, `create ${kind} ${space}`)
  if (layout === 'current') {
    const statements = [createMarker, ...statementsOf(postgresMigrations())]
    exec(space, statements.map((one) => one.trim().replace(/;$/, '')).join(';\n'))
  }
  return {
    url: url === null ? null : urlOf(url, space),
    connect: () => severable(url === null ? ofPglite(space) : ofServer(url, space)),
    query(text, ...values) {
      const params = values.map(encodeParameter)
      let at = 0
      const numbered = text.replaceAll('?', () => `$${++at}`)
      return askNow({ space, text: numbered, params, asArrays: false }) as Record<string, unknown>[]
    },
    // Not at once: the server waits for connections whose log-in waits for this thread.
    async drop() {
      const text = `drop ${kind} ${space} ${url === null ? 'cascade' : 'with (force)'}`
      await ask({ space: main, text, params: null, asArrays: false })
    },
  }
}

const lock = new Mutex()

function ofPglite(space: string): Connections {
  return {
    async connect() {
      const release = await lock.acquire()
      return {
        async query({ text, values, rowMode }) {
          const rows = await ask({ space, text, params: values ?? null, asArrays: rowMode === 'array' })
          return { rows, command: '' }
        },
        release(isBroken) {
          if (!isBroken) release()
          else void ask({ space, text: 'rollback', params: null, asArrays: false }).then(release, release)
        },
      }
    },
    async end() {},
  }
}

const urlOf = (server: string, database: string) => server.replace(/[^/]*$/, database)

function ofServer(url: string, space: string): Connections {
  const { address, password } = parseAddress(urlOf(url, space))
  const options = { connections: 8, idleMs: 10_000, silenceMs: 60_000 }
  const pool = openPool({ address, password: () => Promise.resolve(password), ...options })
  return {
    connect: async () => (await pool).connect(),
    end: async () => (await pool).end(),
  }
}

function severable(connections: Connections): Connections & { sever(): void } {
  const taken = new Set<Connection>()
  let severed = false
  const gone = () => Promise.reject(Object.assign(new Error('severed'), { code: '57P01' }))
  return {
    async connect() {
      if (severed) return await gone()
      const connection = await connections.connect()
      taken.add(connection)
      return {
        query: (query) => (severed ? gone() : connection.query(query)),
        release(isBroken) {
          if (taken.delete(connection)) connection.release(isBroken)
        },
      }
    },
    sever() {
      severed = true
      for (const connection of taken) connection.release(true)
      taken.clear()
    },
    end: () => connections.end(),
  }
}

/** After a conflict, a transaction runs again in a later turn of the event loop. */
export const testOptions: PostgresOptions = {
  clock: { sleep: () => new Promise<void>((resolve) => void setImmediate(resolve)) },
  random: () => 0.5,
}

/** A database with the present layout, for the length of a test. */
export function postgresDb(options: Partial<PostgresOptions> = {}): PostgresDb & Pick<TestPostgres, 'query'> {
  const postgres = testPostgres()
  const db = new PostgresDb(postgres.connect(), { ...testOptions, ...options })
  onTestFinished(async () => {
    await db[Symbol.asyncDispose]()
    await postgres.drop()
  })
  return Object.assign(db, { query: postgres.query })
}
