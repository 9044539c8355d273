import { FatalError } from '../../model/errors.ts'
import { lowerFirst } from '../../model/text/lower-first.ts'
import { marker } from './migrate.ts'
import { isForeignRole, presentSchema } from './present-schema.ts'
import { tables } from './schema.ts'
import type { Session } from './session.ts'

const oldestServer = 15

interface Server {
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
  readonly forbidden: number
  /** Other roles that own functions or operators in the schema. */
  readonly others: string | null
}

/** Names of the tables of a mirror, for `in`. */
export const ownTables = [...Object.keys(tables), marker].map((name) => `'${name}'`).join(', ')

const facts = `select current_setting('server_version_num')::int / 10000 as version,
  current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as commits, current_setting('default_transaction_read_only') as readonly,
  pg_is_in_recovery() as standby, current_setting('search_path') as "searchPath", current_schema() as schema,
  current_setting('session_replication_role') as replication,
  (select string_agg(distinct r.rolname, ', ') from (
      select 'pg_proc'::regclass as class, oid, proowner as owner from pg_proc where pronamespace = ${presentSchema}
        and not (proname like 'tenantwatch\\_%' and (pronargs = 0 or proargtypes = '20 25 20'))
      union all select 'pg_operator'::regclass, oid, oprowner from pg_operator where oprnamespace = ${presentSchema}
    ) made join pg_roles r on r.oid = made.owner join pg_roles u on u.rolname = current_user
    where ${isForeignRole('r', 'u')}
      and not exists (select 1 from pg_class where relnamespace = ${presentSchema} and relname = '${marker}' and relowner = r.oid)
      and not exists (
      select 1 from pg_depend d where d.classid = made.class and d.objid = made.oid and d.deptype = 'e')) as others,
  (select count(*) from pg_class c where relnamespace = ${presentSchema} and relkind = 'r'
    and relname in (${ownTables}) and not (
    has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
    and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete'))) as forbidden`

/** Why a start is refused. */
export interface ServerProblem {
  readonly sentence: string
  readonly advice: string
}

/** Null if the server does not lose confirmed transactions and can store the mirror's texts. Changes nothing. */
export async function serverProblem({ sendText }: Pick<Session, 'sendText'>): Promise<ServerProblem | null> {
  const [found] = (await sendText(facts)).rows as [Server]
  return setupProblem(found) ?? settingProblem(found) ?? schemaProblem(found)
}

/** @throws FatalError when the server could lose confirmed transactions, or cannot store the mirror's texts. */
export async function insistOnServer(session: Session): Promise<void> {
  const problem = await serverProblem({ sendText: (text) => session.sendText(text) })
  if (problem === null) return
  const { sentence, advice } = problem
  throw new FatalError(`The database of store.url cannot be used: ${sentence}; ${lowerFirst(advice)}`)
}

const because = (sentence: string, advice: string): ServerProblem => ({ sentence, advice })

function setupProblem({ version, encoding, fsync, standby }: Server): ServerProblem | null {
  if (version < oldestServer) return because(`PostgreSQL ${version} is too old`, `Use version ${oldestServer} or later`)
  if (encoding !== 'UTF8') return because(`its encoding is ${encoding}`, 'Create it with encoding UTF8')
  if (fsync !== 'on') return because('the server runs with fsync=off and could lose what it confirmed', 'Switch it on')
  if (standby === 1) return because('the server is a standby and read-only', 'Set store.url to the primary server')
  return null
}

function settingProblem({ commits, readonly, replication }: Server): ServerProblem | null {
  if (commits === 'off')
    return because('it has synchronous_commit=off and could lose what it confirmed', 'Switch it on')
  if (readonly !== 'off')
    return because(
      'default_transaction_read_only=on makes its transactions read-only',
      'Reset it for the user, the database or the server, whichever sets it',
    )
  if (replication === 'replica')
    return because('session_replication_role=replica of its user switches the triggers off', 'Reset it')
  return null
}

function schemaProblem({ searchPath, schema, others, forbidden }: Server): ServerProblem | null {
  if (schema === null || isOfServer.test(schema))
    return because(
      `the search_path of its user (${searchPath}) leads to no schema that the user may use for tables`,
      'Create that schema, or correct the path with "alter role … set search_path"',
    )
  if (others !== null)
    return because(
      `its schema has functions or operators of ${others}, which would run with the rights of tenantwatch`,
      'Drop them, and let no other role create there',
    )
  if (forbidden > 0) return because('its user may not read and write all tables of tenantwatch', 'Make it their owner')
  return null
}

const isOfServer = /^(pg_|information_schema$)/
