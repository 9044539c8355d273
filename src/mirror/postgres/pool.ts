import type { Pool, PoolClient, QueryConfig, types as TypesOfDriver } from 'pg'
import { secondMs } from '../../model/durations.ts'
import type { Address } from './address.ts'
import { parsers } from './codec.ts'
import type { Answer, Session, Sessions } from './session.ts'
import type { AnyStatement } from './statement.ts'
import { DriverError } from './store-error.ts'

export interface PoolOptions {
  readonly address: Address
  /** Asked for each new connection, so that it may change. */
  readonly password: () => Promise<string | null>
  readonly connections?: number
  /** False = a statement is sent when the one before it was answered: for poolers that cannot do otherwise. */
  readonly pipeline?: boolean
}

/** Connections of a process to one database. Each tenant is written by one run at a time. */
export const defaultConnections = 8

const connectMs = 10 * secondMs
const idleMs = 30 * secondMs

/** The driver is loaded only where it is used. */
export async function openPool(options: PoolOptions): Promise<Sessions> {
  const { default: pg } = await import('pg')
  const { address, connections = defaultConnections, pipeline = true } = options
  const pool = new pg.Pool({
    ...clientConfig(address, pg.types),
    password: async () => (await options.password()) ?? '',
    max: connections,
    idleTimeoutMillis: idleMs,
    ...{ pipeline },
  })
  // An idle connection that breaks is replaced; its error concerns nobody.
  pool.on('error', () => {})
  return poolSessions(pool, pipeline)
}

/** All but the password. @param types parsers of the driver. */
export function clientConfig({ host, port, user, database, tls }: Address, types: typeof TypesOfDriver) {
  return {
    host,
    port,
    user,
    database,
    ssl: tls ?? false,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    application_name: 'tenantwatch',
    types: { getTypeParser: (type: number) => parsers[type] ?? types.getTypeParser(type) },
  }
}

function poolSessions(pool: Pool, pipeline: boolean): Sessions {
  const connected = new Set<PoolClient>()
  pool.on('connect', (client) => connected.add(client))
  pool.on('remove', (client) => connected.delete(client))
  return {
    async take() {
      return poolSession(await pool.connect().catch(fail), pipeline)
    },
    breakAll() {
      for (const client of connected) breakConnection(client)
    },
    async [Symbol.asyncDispose]() {
      await pool.end()
    },
  }
}

function poolSession(client: PoolClient, pipeline: boolean): Session {
  // The error also fails each statement that is under way.
  const ignore = () => {}
  client.on('error', ignore)
  let last: Promise<unknown> = Promise.resolve()

  function query(config: QueryConfig & { rowMode?: 'array' }, pick = (row: unknown): unknown => row) {
    if (pipeline) sendTogether(client)
    const sent = pipeline ? client.query(config) : last.then(() => client.query(config))
    last = sent.catch(() => {})
    return sent.then((result): Answer => {
      const { rows, command } = [result].flat().at(-1) ?? { rows: [], command: '' }
      return { rows: rows.map(pick), command }
    }, fail)
  }

  return {
    send({ name, text, rows }: AnyStatement, values) {
      const config = { name, text, values: [...values] }
      if (rows === 'objects') return query(config)
      const inArrays = { ...config, rowMode: 'array' } as const
      return rows === 'arrays' ? query(inArrays) : query(inArrays, (row) => (row as readonly unknown[])[0])
    },
    sendText: (text) => query({ text }),
    release(broken) {
      client.off('error', ignore)
      client.release(broken)
      if (broken) breakConnection(client)
    },
  }
}

function breakConnection({ connection }: PoolClient): void {
  connection.stream.destroy()
}

/** Statements of one turn leave in one packet: the driver alone would send one for each. */
function sendTogether({ connection: { stream } }: PoolClient): void {
  stream.cork()
  process.nextTick(() => stream.uncork())
}

function fail(error: unknown): never {
  throw new DriverError(error)
}
