import type { TLSSocket } from 'node:tls'
import type { Client } from 'pg'
import type { Clock } from '../../../model/clock.ts'
import type { OwnerView } from '../../../model/posture.ts'
import { type OwnerRow, ownersOf } from '../../leased-stores.ts'
import { isForeignRole, presentSchema } from '../../postgres/present-schema.ts'
import { type Triggers, triggerFacts } from '../../postgres/triggers.ts'
import { isAlive, ownersText, renewalAgeMs } from '../leases.ts'
import { type Address, parseAddress, shown } from './address.ts'
import { marker, newestAppliedText, newestOf, postgresMigrations } from './migrate.ts'
import { clientConfig } from './pool.ts'
import { ownTables, type ServerProblem, serverProblem } from './server-check.ts'

export type Layout = 'none' | 'older' | 'current' | 'newer'

export interface ReplicaState {
  readonly id: string
  /** A command that works without replicas beside it. */
  readonly alone: number
  readonly alive: number
  readonly heartbeatAgeMs: number
  /** Tenants that it owns. */
  readonly tenants: number
}

/** Facts for `doctor` about the server of `store.url`. */
export interface ServerFacts {
  /** Without the password. */
  readonly place: string
  readonly host: string
  readonly user: string
  readonly version: string
  /** Why a start is refused; null = it is allowed. */
  readonly problem: ServerProblem | null
  /** Null = not encrypted. */
  readonly tls: { readonly protocol: string; readonly isVerified: boolean } | null
  readonly roundTripMs: number
  /** The server's clock minus ours. */
  readonly skewMs: number
  readonly isSuperuser: boolean
  readonly mayCreate: boolean
  /** Other roles that may create objects in the mirror's schema; `PUBLIC` = every role. */
  readonly creators: readonly string[]
  /** Number of tables and views that neither the user nor one of its roles owns. */
  readonly notOwned: number
  /** True if a pooler is between this process and the server. */
  readonly isPooled: boolean
  /** The lowest connection limit of server, database and user. */
  readonly connections: number
  readonly used: number
  readonly layout: Layout
  /** Null unless the layout is current. */
  readonly mirror: MirrorState | null
}

export interface MirrorState {
  readonly replicas: readonly ReplicaState[]
  /** Triggers that are missing, switched off or replaced. */
  readonly lostTriggers: number
  /** Owners by tenant. */
  readonly owners: ReadonlyMap<string, OwnerView>
  /** Start of the oldest and end of the latest run; null = none. */
  readonly runs: { readonly oldest: number; readonly latest: number; readonly count: number } | null
}

const facts = `select current_setting('server_version') as version, current_user as user, pg_backend_pid() as pid,
  r.rolsuper as superuser, has_schema_privilege(current_schema(), 'create') as creates,
  (select string_agg(distinct coalesce(g.rolname, 'PUBLIC'), ',') from pg_namespace n
    cross join lateral aclexplode(n.nspacl) a left join pg_roles g on g.oid = a.grantee
    where n.oid = ${presentSchema} and a.privilege_type = 'CREATE' and a.grantee <> n.nspowner
    and (g.oid is null or ${isForeignRole('g', 'r')})
  ) as creators,
  (select count(*) from pg_class c where c.relnamespace = ${presentSchema}
    and (c.relname in (${ownTables}) or c.relkind = 'v' and c.relname like 'tenantwatch\\_%')
    and not pg_has_role(c.relowner, 'usage')) as "notOwned",
  least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0),
    nullif(d.datconnlimit, -1), nullif(r.rolconnlimit, -1)) as connections,
  (select sum(numbackends) from pg_stat_database) as used, to_regclass('${marker}') is not null as marked
  from pg_roles r cross join pg_database d where r.rolname = current_user and d.datname = current_database()`

interface Row {
  readonly version: string
  readonly user: string
  readonly pid: number
  readonly superuser: number
  readonly creates: number
  readonly creators: string | null
  readonly notOwned: number
  readonly connections: number
  readonly used: number
  readonly marked: number
}

const replicas = `select r.id, r.alone, ${isAlive} as alive, ${renewalAgeMs('r')} as "heartbeatAgeMs",
    (select count(*) from leases l where l.owner = r.id and l.tenant_id <> 0) as tenants
  from replicas r order by r.id`

const runs = 'select min(started_at) as oldest, max(ended_at) as latest, count(*) as count from runs'

/** Changes nothing. @throws the error of the driver, which may contain the host and the user, and never the password. */
export async function readServerFacts(url: string, clock: Pick<Clock, 'now' | 'monotonic'>): Promise<ServerFacts> {
  const { address, password } = parseAddress(url)
  const { default: pg } = await import('pg')
  const limits = { statement_timeout: 10_000, query_timeout: 15_000 }
  const client = new pg.Client({
    ...clientConfig(address, pg.types),
    password: password ?? '',
    query_timeout: limits.query_timeout,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    const all: All = async (text) => (await client.query(text)).rows
    await client.query(`begin read only; set local statement_timeout = ${limits.statement_timeout}`)
    const [row] = (await all<Row>(facts)) as [Row]
    const { version, user, notOwned, connections, used } = row
    const problem = await serverProblem(client)
    const layout = row.marked === 1 ? await layoutIn(all) : 'none'
    return {
      place: shown(address),
      host: address.host,
      user,
      version: version.split(' ')[0] ?? version,
      problem,
      tls: tlsOf(client, address),
      ...(await timesOf(client, clock)),
      isSuperuser: row.superuser === 1,
      mayCreate: row.creates === 1,
      creators: row.creators?.split(',') ?? [],
      notOwned,
      isPooled: (client as Client & { readonly processID: number }).processID !== row.pid,
      connections,
      used,
      layout,
      mirror: layout === 'current' ? await mirrorIn(all) : null,
    }
  } finally {
    // A pooler closes its connection to the server if a transaction is left open.
    await client.query('rollback').catch(() => {})
    await client.end().catch(() => {})
  }
}

type All = <T>(text: string) => Promise<T[]>

async function mirrorIn(all: All): Promise<MirrorState> {
  const [triggers] = await all<Triggers>(triggerFacts())
  const [run] = await all<Readonly<Record<'oldest' | 'latest' | 'count', number>>>(runs)
  return {
    replicas: await all<ReplicaState>(replicas),
    lostTriggers: triggers?.lost ?? 0,
    owners: ownersOf(await all<OwnerRow>(ownersText)),
    runs: run === undefined || run.count === 0 ? null : run,
  }
}

async function layoutIn(all: All): Promise<Layout> {
  const [row] = await all<{ readonly at: number }>(newestAppliedText)
  const at = row?.at ?? 0
  const newest = newestOf(postgresMigrations())
  if (at === 0) return 'none'
  return at === newest ? 'current' : at < newest ? 'older' : 'newer'
}

async function timesOf(client: Client, clock: Pick<Clock, 'now' | 'monotonic'>) {
  const [sentAt, began] = [clock.now(), clock.monotonic()]
  const { rows } = await client.query('select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now')
  const roundTripMs = clock.monotonic() - began
  return { roundTripMs, skewMs: Math.round(rows[0].now - sentAt - roundTripMs / 2) }
}

function tlsOf(client: Client, { tls }: Address): ServerFacts['tls'] {
  if (tls === null) return null
  const { stream } = (client as Client & { readonly connection: { readonly stream: TLSSocket } }).connection
  return { protocol: stream.getProtocol() ?? 'TLS', isVerified: tls.rejectUnauthorized }
}
