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

interface Rule {
  readonly isBroken: (server: Server) => boolean
  readonly sentence: (server: Server) => string
  readonly advice: string
}

/** The first broken one counts. */
const rules: readonly Rule[] = [
  {
    isBroken: ({ version }) => version < oldestServer,
    sentence: ({ version }) => `PostgreSQL ${version} is too old`,
    advice: `Use version ${oldestServer} or later`,
  },
  {
    isBroken: ({ encoding }) => encoding !== 'UTF8',
    sentence: ({ encoding }) => `its encoding is ${encoding}`,
    advice: 'Create it with encoding UTF8',
  },
  {
    isBroken: ({ fsync }) => fsync !== 'on',
    sentence: () => 'the server runs with fsync=off and could lose what it confirmed',
    advice: 'Switch it on',
  },
  {
    isBroken: ({ standby }) => standby === 1,
    sentence: () => 'the server is a standby and read-only',
    advice: 'Set store.url to the primary server',
  },
  {
    isBroken: ({ commits }) => commits === 'off',
    sentence: () => 'it has synchronous_commit=off and could lose what it confirmed',
    advice: 'Switch it on',
  },
  {
    isBroken: (server) => server.readonly !== 'off',
    sentence: () => 'default_transaction_read_only=on makes its transactions read-only',
    advice: 'Reset it for the user, the database or the server, whichever sets it',
  },
  {
    isBroken: ({ replication }) => replication === 'replica',
    sentence: () => 'session_replication_role=replica of its user switches the triggers off',
    advice: 'Reset it',
  },
  {
    isBroken: ({ schema }) => schema === null || /^(pg_|information_schema$)/.test(schema),
    sentence: ({ searchPath }) =>
      `the search_path of its user (${searchPath}) leads to no schema that the user may use for tables`,
    advice: 'Create that schema, or correct the path with "alter role … set search_path"',
  },
  {
    isBroken: ({ forbidden }) => forbidden > 0,
    sentence: () => 'its user may not read and write all tables of tenantwatch',
    advice: 'Make it their owner',
  },
]

/** Null if the server does not lose confirmed transactions and can store the mirror's texts. Changes nothing. */
export async function serverProblem(connection: Pick<Connection, 'query'>): Promise<ServerProblem | null> {
  const { rows } = await ask(connection, { text: facts })
  return problemOf((rows as [Server])[0])
}

export function problemOf(server: Server): ServerProblem | null {
  const broken = rules.find(({ isBroken }) => isBroken(server))
  return broken === undefined ? null : { sentence: broken.sentence(server), advice: broken.advice }
}

/** @throws FatalError when the server could lose confirmed transactions, or cannot store the mirror's texts. */
export async function assertServer(connection: Pick<Connection, 'query'>): Promise<void> {
  const problem = await serverProblem(connection)
  if (problem === null) return
  const { sentence, advice } = problem
  throw new FatalError(`The database of store.url cannot be used: ${sentence}; ${lowerFirst(advice)}`)
}
