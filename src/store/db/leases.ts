import { createHash } from 'node:crypto'
import type { TenantSettings } from '../../config/settings.ts'
import { secondMs } from '../../model/time.ts'
import type { Sql } from './db.ts'

/** Used as tenant id for rows that belong to no tenant. */
export const noTenant = 0

/** Term of a lease from its renewal, by the clock of the database; in milliseconds. */
const termMs = 10 * secondMs

/** A replica whose renewal is a second late may be suspended: others leave no share for it until the next one. */
const lateMs = 3 * secondMs

const now = 'clock_timestamp()'
const term = `interval '${termMs} milliseconds'`
const soon = `interval '${termMs - lateMs} milliseconds'`

/** Condition that `until` of a lease or replica has not passed. It is too far ahead if the clock was set back since. */
const isCurrent = (row: string) => `${row}.until between ${now} and ${now} + ${term}`

/** Condition on the lease `l`. */
const isOwned = `(l.owner is not null and ${isCurrent('l')})`

/** Condition on the replica `r`. */
const isAlive = isCurrent('r')

const inMs = (interval: string) => `cast(extract(epoch from ${interval}) * 1000 as bigint)`

/** The right to write a tenant. */
export interface Lease {
  readonly tenantId: number
  /** Null for rows that belong to no tenant. */
  readonly tenant: string | null
  /** Raised each time it is taken. */
  readonly epoch: number
  /** In microseconds. A restart may lose the last commits, so nothing that was read before it may be used. */
  readonly serverStart: number
}

const serverStart = 'cast(extract(epoch from pg_postmaster_start_time()) * 1000000 as bigint)'

/** Columns of a `Lease`, of the row `l`. */
const lease = `l.tenant_id as "tenantId", (select t.name from tenants t where t.id = l.tenant_id) as tenant, l.epoch,
    ${serverStart} as "serverStart"`

/** Makes this process known to the others and renews its leases, but not those that have lapsed. */
const renewText = `with known as (
    insert into replicas (id, until, alone, tenants) values (@id, ${now} + ${term}, @alone, @digest)
    on conflict (id) do update set until = excluded.until, tenants = excluded.tenants),
  forgotten as (delete from replicas where id <> @id and until < ${now} - interval '1 hour')
  update leases l set until = ${now} + ${term} where l.owner = @id and ${isOwned} returning ${lease}`

/** Adds the tenants that the database lacks at first, or after a restore. */
const registerTenantsText = `insert into tenants (name, base_url, created_at)
  select name, url, @at from unnest(@names::text[], @urls::text[]) as configured (name, url)
  where not exists (select 1 from tenants t where t.name = configured.name) on conflict do nothing`

const registerLeasesText = `insert into leases (tenant_id, epoch, until, since)
  select id, 0, ${now}, ${now} from (select ${noTenant} as id union all select id from tenants) as wanted
  where not exists (select 1 from leases l where l.tenant_id = wanted.id) on conflict do nothing`

/** Replicas with the same tenants share them; one with others shares none. */
const stateText = `select (select count(*) from replicas r where r.id <> @id and ${isAlive}) as others,
    (select count(*) from replicas r where r.id <> @id and not r.alone and r.tenants = @digest
      and r.until between ${now} + ${soon} and ${now} + ${term}) as sharing,
    (select count(*) from leases) as leases,
    (select count(*) from leases l join tenants t on t.id = l.tenant_id where t.name = any(@names) and ${isOwned}) as owned`

interface State {
  /** Other living processes. */
  readonly others: number
  /** Those with the same tenants that are not late. */
  readonly sharing: number
  readonly leases: number
  /** Number of this process's tenants that somebody owns. */
  readonly owned: number
}

interface TakenLease extends Lease {
  readonly lastOwner: string | null
}

/** Skips leases under which a transaction of the last owner is still writing. */
const takeFree = (which: string) => `with free as materialized (
    select l.tenant_id, l.owner from leases l where not ${isOwned} and ${which}
    order by l.tenant_id limit @most for update of l skip locked)
  update leases l set owner = @id, epoch = l.epoch + 1, until = ${now} + ${term}, since = ${now}
  from free where l.tenant_id = free.tenant_id returning ${lease}, free.owner as "lastOwner"`

const takeSharedText = takeFree(`l.tenant_id = ${noTenant}`)
const takeTenantsText = takeFree('l.tenant_id in (select t.id from tenants t where t.name = any(@names))')
const takeAllText = takeFree('true')

const releaseText = `update leases set owner = null, epoch = epoch + 1, until = ${now}, since = ${now} where owner = @id`

/** Owners of all mirrored tenants. A tenant whose owner died has had none since the last renewal. */
export const ownersText = `select t.name as tenant, l.owner as replica, case when ${isOwned} then 1 else 0 end as alive,
    case when l.owner is not null then ${inMs(`${now} - l.until + ${term}`)} end as "heartbeatAgeMs",
    ${inMs(`case when l.owner is null or ${isOwned} then l.since else l.until - ${term} end`)} as since
  from tenants t left join leases l on l.tenant_id = t.id`

/**
 * Names of tenants that no replica's configuration has had for a day: a configured one has a lease. Beside a process that
 * works alone there is no other configuration.
 */
export const removedText = `select t.name from tenants t join leases l on l.tenant_id = t.id
  where t.name <> all(@names) and (@alone or not ${isOwned} and l.until < ${now} - interval '1 day') order by t.name`

/** Statement that returns a row until another process takes the lease, or the server restarts. */
export function fenceOf(owner: string, { tenantId, epoch, serverStart: start }: Lease): string {
  return `select 1 from leases where tenant_id = ${tenantId} and owner = '${owner.replaceAll("'", "''")}' and epoch = ${epoch}
    and ${serverStart} = ${start}`
}

export type LeasedTenant = Pick<TenantSettings, 'baseUrl' | 'name'>

export interface Claim {
  /** Of the process, new at each start. */
  readonly id: string
  /** True for a command that only works without replicas beside it: it takes all leases, or none beside a living process. */
  readonly alone: boolean
  readonly tenants: readonly LeasedTenant[]
  /** In milliseconds since the epoch. */
  readonly at: number
}

/** Renews the leases of a process, and takes free ones up to its share of the tenants; returns numbers of tenants. */
export async function renewLeases(sql: Sql, claim: Claim) {
  const { id, alone, tenants, at } = claim
  const names = tenants.map(({ name }) => name)
  const digest = createHash('sha256').update(JSON.stringify(names.toSorted())).digest('hex')
  const params = { id, alone, digest, names }
  const renewed = await sql<Lease>(renewText, [params])
  await sql(registerTenantsText, [{ names, urls: tenants.map(({ baseUrl }) => baseUrl), at }])
  await sql(registerLeasesText)
  const [state] = (await sql<State>(stateText, [params])) as [State]
  const configured = new Set<string | null>(names)
  const ownOf = (leases: readonly Lease[]) => leases.filter(({ tenant }) => configured.has(tenant)).length
  const share = Math.ceil(tenants.length / (state.sharing + 1))
  const taken: TakenLease[] = []
  if (alone) {
    if (state.others === 0) taken.push(...(await sql<TakenLease>(takeAllText, [{ ...params, most: state.leases }])))
  } else {
    const most = share - ownOf(renewed)
    if (most > 0) taken.push(...(await sql<TakenLease>(takeTenantsText, [{ ...params, most }])))
    // Erasure and clock of the shared rows need the server's time of a tenant.
    if (ownOf([...renewed, ...taken]) > 0)
      taken.push(...(await sql<TakenLease>(takeSharedText, [{ ...params, most: 1 }])))
  }
  const leases = [...renewed, ...taken]
  const died = ({ tenantId, lastOwner }: TakenLease) => tenantId !== noTenant && ![null, id].includes(lastOwner)
  return {
    // The tenant of a lease may have been erased.
    leases: leases.filter(({ tenant, tenantId }) => tenant !== null || tenantId === noTenant),
    /** False while it does not have all leases. */
    hasAll: leases.length === state.leases,
    /** Taken from replicas that died. */
    takenOver: taken.filter(died).length,
    /** Configured, and owned by no living replica. */
    unowned: Math.max(0, tenants.length - state.owned - ownOf(taken)),
    /** Owned beyond the share of this replica. */
    surplus: alone ? 0 : Math.max(0, ownOf(leases) - share),
  }
}

/** Gives leases back: others may take them at once. */
export async function releaseLeases(sql: Sql, id: string, leases: readonly Lease[]): Promise<void> {
  const tenantIds = leases.map(({ tenantId }) => tenantId)
  await sql(`${releaseText} and tenant_id = any(@tenantIds)`, [{ id, tenantIds }])
}

/** Gives back what a process holds, and makes it unknown to the others. */
export async function leaveReplicas(sql: Sql, id: string): Promise<void> {
  await sql(releaseText, [{ id }])
  await sql('delete from replicas where id = @id', [{ id }])
}
