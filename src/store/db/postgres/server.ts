import type { Clock } from '../../../model/clock.ts'
import { FatalError } from '../../../model/errors.ts'
import type { Io } from '../../../model/process/io.ts'
import { lowerFirst } from '../../../model/text/words.ts'
import { secondMs } from '../../../model/time.ts'
import { type OwnerRow, ownersOf } from '../../leased-stores.ts'
import type { Sql } from '../db.ts'
import { ownersText } from '../leases.ts'
import { parseAddress, shown } from './address.ts'
import { type Layout, layoutIn, presentSchema } from './migrate.ts'
import { openPool } from './pool.ts'
import { PostgresDb } from './postgres-db.ts'

const oldestServer = 15

/** Settings by which a start is refused. */
export interface Setup {
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
}

const setupText = `select current_setting('server_version_num')::int / 10000 as version,
  current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as commits, current_setting('default_transaction_read_only') as readonly,
  pg_is_in_recovery() as standby, current_setting('search_path') as "searchPath", current_schema() as schema`

/** Why a start is refused. */
export interface ServerProblem {
  readonly sentence: string
  readonly advice: string
}

/** Null if the server does not lose confirmed transactions and can store the mirror's texts. */
export function problemOf(setup: Setup): ServerProblem | null {
  const { version, encoding, fsync, standby, commits, schema, searchPath } = setup
  const problems: readonly (readonly [isBroken: boolean, sentence: string, advice: string])[] = [
    [version < oldestServer, `PostgreSQL ${version} is too old`, `Use version ${oldestServer} or later`],
    [encoding !== 'UTF8', `its encoding is ${encoding}`, 'Create it with encoding UTF8'],
    [fsync !== 'on', 'the server runs with fsync=off and could lose what it confirmed', 'Switch it on'],
    [standby === 1, 'the server is a standby and read-only', 'Set store.url to the primary server'],
    [commits === 'off', 'it has synchronous_commit=off and could lose what it confirmed', 'Switch it on'],
    [
      setup.readonly !== 'off',
      'default_transaction_read_only=on makes its transactions read-only',
      'Reset it for the user, the database or the server, whichever sets it',
    ],
    [
      schema === null || /^(pg_|information_schema$)/.test(schema),
      `the search_path of its user (${searchPath}) leads to no schema that the user may use for tables`,
      'Create that schema, or correct the path with "alter role … set search_path"',
    ],
  ]
  for (const [isBroken, sentence, advice] of problems) if (isBroken) return { sentence, advice }
  return null
}

/** Changes nothing. */
async function serverProblem(sql: Sql): Promise<ServerProblem | null> {
  const [setup] = (await sql<Setup>(setupText)) as [Setup]
  return problemOf(setup)
}

/** @throws FatalError when the server could lose confirmed transactions, or cannot store the mirror's texts. */
export async function assertServer(sql: Sql): Promise<void> {
  const problem = await serverProblem(sql)
  if (problem === null) return
  const { sentence, advice } = problem
  throw new FatalError(`The database of store.url cannot be used: ${sentence}; ${lowerFirst(advice)}`)
}

/** What the server says of itself; conditions are 0 or 1. */
interface Facts {
  readonly version: string
  readonly user: string
  readonly isSuperuser: number
  readonly mayCreate: number
  /** Of every table. */
  readonly mayWrite: number
  /** Of TLS between the server and its client, which may be a pooler. */
  readonly protocol: string | null
}

export type ServerFacts = Readonly<Awaited<ReturnType<typeof readServerFacts>>>

const factsText = `select split_part(current_setting('server_version'), ' ', 1) as version, current_user as user,
  rolsuper as "isSuperuser", has_schema_privilege(current_schema(), 'create') as "mayCreate",
  (select coalesce(bool_and(${['insert', 'update', 'delete'].map((right) => `has_table_privilege(oid, '${right}')`).join(' and ')}), true)
    from pg_class where relnamespace = ${presentSchema} and relkind in ('r', 'p')) as "mayWrite",
  (select version from pg_stat_ssl where pid = pg_backend_pid()) as protocol
  from pg_roles where rolname = current_user`

/**
 * Facts for `doctor` about the server of `store.url`. Changes nothing.
 *
 * @throws SyncError `store`, whose cause may contain the host and the user, and never the password.
 */
export async function readServerFacts(url: string, { clock, random }: Pick<Io, 'clock' | 'random'>) {
  const { address, password } = parseAddress(url)
  const { host, tls } = address
  const source = { address, password: async () => password, connections: 1, idleMs: secondMs }
  await using db = new PostgresDb(await openPool({ ...source, silenceMs: 15 * secondMs }), { clock, random })
  return await db.read(async (sql) => {
    const [[{ protocol, ...facts }], problem] = [(await sql<Facts>(factsText)) as [Facts], await serverProblem(sql)]
    const layout: Layout = problem === null ? await layoutIn(sql) : 'none'
    return {
      ...facts,
      /** Without the password. */
      place: shown(address),
      host,
      /** Why a start is refused; null = it is allowed. */
      problem,
      /** Null = not encrypted. */
      tls: tls && { protocol: protocol ?? 'TLS', isVerified: tls.rejectUnauthorized },
      ...(await timesOf(sql, clock)),
      layout,
      /** By tenant; null unless the layout is current. */
      owners: layout === 'current' ? ownersOf(await sql<OwnerRow>(ownersText)) : null,
    }
  })
}

async function timesOf(sql: Sql, clock: Pick<Clock, 'now' | 'monotonic'>) {
  const [sentAt, began] = [clock.now(), clock.monotonic()]
  const text = 'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now'
  const [{ now } = { now: sentAt }] = await sql<{ readonly now: number }>(text)
  const roundTripMs = clock.monotonic() - began
  /** The server's clock minus ours. */
  return { roundTripMs, skewMs: Math.round(now - sentAt - roundTripMs / 2) }
}
