import { FatalError } from '../../../model/errors.ts'
import { lowerFirst } from '../../../model/text/lower-first.ts'
import { presentSchema } from '../../postgres/present-schema.ts'
import { tables } from '../../postgres/schema.ts'
import { marker } from './migrate.ts'
import { ask, type Connection } from './pool.ts'

const oldestServer = 15

export interface Server {
  readonly version: number
  readonly encoding: string
  readonly fsync: string
  readonly commits: string
  /** Setting of role, database or server. */
  readonly readonly: string
  readonly standby: number
  readonly searchPath: string
  /** Null = no schema of the search path exists. */
  readonly schema: string | null
  readonly replication: string
  /** Tables of tenantwatch that the user may not read and write. */
  readonly forbidden: number
}

/** Names of the tables of a mirror, for `in`. */
export const ownTables = [...Object.keys(tables), marker].map((name) => `'${name}'`).join(', ')

const facts = `select current_setting('server_version_num')::int / 10000 as version,
  current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as commits, current_setting('default_transaction_read_only') as readonly,
  pg_is_in_recovery() as standby, current_setting('search_path') as "searchPath", current_schema() as schema,
  current_setting('session_replication_role') as replication,
  (select count(*) from pg_class c where relnamespace = ${presentSchema} and relkind = 'r'
    and relname in (${ownTables}) and not (
    has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
    and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete'))) as forbidden`

/** Why a start is refused. */
export interface ServerProblem {
  readonly sentence: string
  readonly advice: string
}

type Rule = readonly [isBroken: (server: Server) => boolean, sentence: (server: Server) => string, advice: string]

/** The first broken one counts. */
const rules: readonly Rule[] = [
  [
    ({ version }) => version < oldestServer,
    ({ version }) => `PostgreSQL ${version} is too old`,
    `Use version ${oldestServer} or later`,
  ],
  [
    ({ encoding }) => encoding !== 'UTF8',
    ({ encoding }) => `its encoding is ${encoding}`,
    'Create it with encoding UTF8',
  ],
  [
    ({ fsync }) => fsync !== 'on',
    () => 'the server runs with fsync=off and could lose what it confirmed',
    'Switch it on',
  ],
  [
    ({ standby }) => standby === 1,
    () => 'the server is a standby and read-only',
    'Set store.url to the primary server',
  ],
  [
    ({ commits }) => commits === 'off',
    () => 'it has synchronous_commit=off and could lose what it confirmed',
    'Switch it on',
  ],
  [
    (server) => server.readonly !== 'off',
    () => 'default_transaction_read_only=on makes its transactions read-only',
    'Reset it for the user, the database or the server, whichever sets it',
  ],
  [
    ({ replication }) => replication === 'replica',
    () => 'session_replication_role=replica of its user switches the triggers off',
    'Reset it',
  ],
  [
    ({ schema }) => schema === null || /^(pg_|information_schema$)/.test(schema),
    ({ searchPath }) =>
      `the search_path of its user (${searchPath}) leads to no schema that the user may use for tables`,
    'Create that schema, or correct the path with "alter role … set search_path"',
  ],
  [
    ({ forbidden }) => forbidden > 0,
    () => 'its user may not read and write all tables of tenantwatch',
    'Make it their owner',
  ],
]

/** Null if the server does not lose confirmed transactions and can store the mirror's texts. Changes nothing. */
export async function serverProblem(connection: Pick<Connection, 'query'>): Promise<ServerProblem | null> {
  const { rows } = await ask(connection, { text: facts })
  return problemOf((rows as [Server])[0])
}

export function problemOf(server: Server): ServerProblem | null {
  for (const [isBroken, sentence, advice] of rules) if (isBroken(server)) return { sentence: sentence(server), advice }
  return null
}

/** @throws FatalError when the server could lose confirmed transactions, or cannot store the mirror's texts. */
export async function assertServer(connection: Pick<Connection, 'query'>): Promise<void> {
  const problem = await serverProblem(connection)
  if (problem === null) return
  const { sentence, advice } = problem
  throw new FatalError(`The database of store.url cannot be used: ${sentence}; ${lowerFirst(advice)}`)
}
