import { secondMs } from '../../model/durations.ts'

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
export const isOwned = `(l.owner is not null and ${isCurrent('l')})`

/** Condition on the replica `r`. */
export const isAlive = isCurrent('r')

/** Condition that the replica `r` shares the tenants of this one. */
const sharesTenants = `(r.id = @id or not r.alone and r.tenants = @digest and r.until between ${now} + ${soon} and ${now} + ${term})`

const inMs = (interval: string) => `cast(extract(epoch from ${interval}) * 1000 as bigint)`

/** Milliseconds since the last renewal of a lease or replica. */
export const renewalAgeMs = (row: string) => inMs(`${now} - ${row}.until + ${term}`)

/** Columns of a `Lease`, of the row `l`. */
const lease = `l.tenant_id as "tenantId", (select t.name from tenants t where t.id = l.tenant_id) as tenant, l.epoch,
    cast(extract(epoch from pg_postmaster_start_time()) * 1000000 as bigint) as "serverStart"`

/** State before a renewal, with counts of the leases of tenants named `@names`. */
export const stateText = `select
    exists (select 1 from replicas r where r.id = @id and ${isAlive}) as "isKnown",
    exists (select 1 from replicas r where r.alone and r.id <> @id and ${isAlive}) as "isAnotherAlone",
    exists (select 1 from leases z join replicas r on r.id = z.owner where z.tenant_id = ${noTenant} and r.alone and r.id <> @id)
      as "wasAnotherAlone",
    (select count(*) from replicas r where ${sharesTenants}) as replicas,
    count(*) as registered, count(*) filter (where ${isOwned}) as owned
  from leases l join tenants t on t.id = l.tenant_id where t.name = any(@names)`

/** Makes this process known to the others and renews its leases, but not those that have lapsed. */
export const renewText = `with known as (
    insert into replicas (id, until, alone, tenants) values (@id, ${now} + ${term}, @alone, @digest)
    on conflict (id) do update set until = excluded.until, tenants = excluded.tenants),
  forgotten as (delete from replicas where id <> @id and until < ${now} - interval '1 hour')
  update leases l set until = ${now} + ${term} where l.owner = @id and ${isOwned} returning ${lease}`

export const registerTenantsText = `insert into tenants (name, base_url, created_at)
  select name, url, @at from unnest(@names::text[], @urls::text[]) as configured (name, url)
  where not exists (select 1 from tenants t where t.name = configured.name) on conflict do nothing`

export const registerLeasesText = `insert into leases (tenant_id, epoch, until, since)
  select id, 0, ${now}, ${now} from (select ${noTenant} as id union all select id from tenants) as wanted
  where not exists (select 1 from leases l where l.tenant_id = wanted.id) on conflict do nothing`

const take = `owner = @id, epoch = l.epoch + 1, until = ${now} + ${term}, since = ${now}`

/** Skips leases under which a transaction of the last owner is still writing. */
const takeFree = (which: string) => `with free as materialized (
    select l.tenant_id, l.owner from leases l where not ${isOwned} and ${which}
    order by l.tenant_id limit @most for update of l skip locked)
  update leases l set ${take} from free where l.tenant_id = free.tenant_id
  returning ${lease}, free.owner as "lastOwner"`

export const takeSharedText = takeFree(`l.tenant_id = ${noTenant}`)

export const takeTenantsText = takeFree('l.tenant_id in (select t.id from tenants t where t.name = any(@names))')

/** Processes that live or own something, beside this one; one that works alone may wait for this one as well. */
export const othersText = `select 1 from replicas r where r.id <> @id and not r.alone and ${isAlive}
  union all select 1 from leases l where l.owner <> @id and ${isOwned} limit 1`

export const takeAllText = `update leases l set ${take} returning ${lease}`

const free = `owner = null, epoch = epoch + 1, until = ${now}, since = ${now}`

export const releaseText = `update leases set ${free} where owner = @id and tenant_id = any(@tenantIds)`

export const releaseAllText = `update leases set ${free} where owner = @id`

export const leaveText = 'delete from replicas where id = @id'

/** Owners of all mirrored tenants. A tenant whose owner died has had none since the last renewal. */
export const ownersText = `select t.name as tenant, l.owner as replica, case when ${isOwned} then 1 else 0 end as alive,
    case when l.owner is not null then ${renewalAgeMs('l')} end as "heartbeatAgeMs",
    ${inMs(`case when l.owner is null or ${isOwned} then l.since else l.until - ${term} end`)} as since
  from tenants t left join leases l on l.tenant_id = t.id`

/** Names of tenants that no replica's configuration has had for a day: a configured one has a lease. */
export const removedText = `select t.name from tenants t join leases l on l.tenant_id = t.id
  where not ${isOwned} and l.until < ${now} - interval '1 day' and t.name <> all(@names) order by t.name`
