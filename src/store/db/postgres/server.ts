import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../../model/clock.ts'
import { FatalError } from '../../../model/errors.ts'
import { lowerFirst } from '../../../model/text/words.ts'
import { secondMs } from '../../../model/time.ts'
import { type OwnerRow, ownersOf } from '../../leased-stores.ts'
import { ownersText } from '../leases.ts'
import { type Address, parseAddress, shown } from './address.ts'
import { inTransaction, type Layout, layoutIn, type Run } from './migrate.ts'
import { type Connection, overConnection } from './pool.ts'

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
async function serverProblem(run: Run): Promise<ServerProblem | null> {
  const [setup] = (await run<Setup>(setupText)) as [Setup]
  return problemOf(setup)
}

/** @throws FatalError when the server could lose confirmed transactions, or cannot store the mirror's texts. */
export async function assertServer(run: Run): Promise<void> {
  const problem = await serverProblem(run)
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
}

export type ServerFacts = Readonly<Awaited<ReturnType<typeof readServerFacts>>>

const factsText = `select split_part(current_setting('server_version'), ' ', 1) as version, current_user as user,
  rolsuper as "isSuperuser", has_schema_privilege(current_schema(), 'create') as "mayCreate"
  from pg_roles where rolname = current_user`

/**
 * Facts for `doctor` about the server of `store.url`. Changes nothing.
 *
 * @throws DriverError, which may contain the host and the user, and never the password.
 */
export async function readServerFacts(url: string, clock: Pick<Clock, 'now' | 'monotonic'>) {
  const { address, password } = parseAddress(url)
  const source = { address, password: async () => password, silenceMs: 15 * secondMs }
  return overConnection(source, (connection) =>
    inTransaction(connection, async (run) => {
      await run('set transaction read only')
      const [[facts], problem] = [(await run<Facts>(factsText)) as [Facts], await serverProblem(run)]
      const layout: Layout = problem === null ? await layoutIn(run) : 'none'
      return {
        ...facts,
        /** Without the password. */
        place: shown(address),
        host: address.host,
        /** Why a start is refused; null = it is allowed. */
        problem,
        tls: tlsOf(connection, address),
        ...(await timesOf(run, clock)),
        layout,
        /** By tenant; null unless the layout is current. */
        owners: layout === 'current' ? ownersOf(await run<OwnerRow>(ownersText)) : null,
      }
    }),
  )
}

async function timesOf(run: Run, clock: Pick<Clock, 'now' | 'monotonic'>) {
  const [sentAt, began] = [clock.now(), clock.monotonic()]
  const text = 'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now'
  const [{ now } = { now: sentAt }] = await run<{ readonly now: number }>(text)
  const roundTripMs = clock.monotonic() - began
  /** The server's clock minus ours. */
  return { roundTripMs, skewMs: Math.round(now - sentAt - roundTripMs / 2) }
}

/** Null = not encrypted. */
function tlsOf(connection: Connection, { tls }: Address) {
  if (tls === null) return null
  // Of the driver, which has no type for it.
  const { stream } = Reflect.get(connection, 'connection') as { readonly stream: TLSSocket }
  return { protocol: stream.getProtocol() ?? 'TLS', isVerified: tls.rejectUnauthorized }
}
