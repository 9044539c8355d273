import type { types as TypesOfDriver } from 'pg'
import { secondMs } from '../../../model/time.ts'
import type { Address } from './address.ts'
import { parsers, type Query } from './statement.ts'
import { throwDriverError } from './store-error.ts'

/** Longest wait for a connection, in milliseconds. */
const connectMs = 10 * secondMs

/** A connection, checked out for one transaction. */
export interface Connection {
  query(query: Query): Promise<Answer | readonly Answer[]>
  /** @param isBroken closes it, because its state is unknown. */
  release(isBroken: boolean): void
}

export interface Answer {
  readonly rows: readonly unknown[]
  readonly command: string
}

export interface Connections {
  connect(): Promise<Connection>
  end(): Promise<void>
}

/** Reads the password, for each new connection. */
export type Password = () => Promise<string | null>

export interface PoolOptions {
  readonly address: Address
  readonly password: Password
  /** Most connections at a time. */
  readonly connections: number
  /** Time after which an unused connection is closed, in milliseconds. */
  readonly idleMs: number
  /** Longest wait for the answer to a statement, in milliseconds. */
  readonly silenceMs: number
}

/** Loads the driver, which only PostgreSQL needs. */
export async function openPool(options: PoolOptions): Promise<Connections> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    ...clientConfig(options.address, pg.types),
    password: async () => (await options.password()) ?? '',
    query_timeout: options.silenceMs,
    max: options.connections,
    idleTimeoutMillis: options.idleMs,
  })
  // A broken connection fails the statement that uses it; an unused one is replaced.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** The answer to the last statement of the query's text. @throws DriverError. */
export async function ask(connection: Pick<Connection, 'query'>, query: Query): Promise<Answer> {
  const answers = [await connection.query(query).catch(throwDriverError)].flat()
  return answers.at(-1) ?? { rows: [], command: '' }
}

/** Configuration of the driver without the password. @param types parsers of the driver. */
function clientConfig({ host, port, user, database, tls }: Address, types: typeof TypesOfDriver) {
  return {
    host,
    port,
    user,
    database,
    ssl: tls ?? false,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    // Sooner than load balancers forget an idle connection.
    keepAliveInitialDelayMillis: 30 * secondMs,
    application_name: 'tenantwatch',
    types: { getTypeParser: (type: number) => parsers[type] ?? types.getTypeParser(type) },
  }
}
