import { secondMs } from '../../../model/durations.ts'
import type { List } from '../../database.ts'
import { serverStart } from '../beginning.ts'
import type { PostgresDatabase } from '../database.ts'
import { marker } from '../migrate.ts'
import { type Triggers, triggerFacts } from '../triggers.ts'
import type { Shares } from './shares.ts'

/** Time after the last heartbeat from which a replica counts as dead, by the clock of the database; in milliseconds. */
const deadMs = 10 * secondMs

/** A replica whose heartbeat is a second late may be suspended: others leave no share for it until the next one. */
const lateMs = 3 * secondMs

/** Nothing is given back for a younger replica, because it may be crash looping. */
const newMs = 10 * secondMs

/** True if the time is at most `ms` away, also in the future: the clock of the database may have been set back. */
const isWithin = (time: string, ms: number) => {
  const now = 'clock_timestamp()'
  return `${time} between ${now} - interval '${ms} milliseconds' and ${now} + interval '${ms} milliseconds'`
}

/** Condition on the replica `r`. */
export const isAlive = isWithin('r.seen_at', deadMs)
/** Condition that `r` shares this replica's tenants: itself, even if the server is slow, and recently seen ones. */
const isWell = `(r.id = @id or ${isWithin('r.seen_at', lateMs)} and not r.alone and r.configured = @configured)`
const hasLivingOwner = `exists (select 1 from replicas r where r.id = o.owner and ${isAlive})`
const release = 'update tenant_owners set owner = null, epoch = epoch + 1, since = clock_timestamp()'
const isAmong = 'tenant_id = any(@among)'

/**
 * Dead owners. Updates their rows, so that this statement conflicts with the heartbeat of one that is alive after all,
 * and one of the two is repeated. Otherwise both replicas would regard a tenant as theirs.
 */
const dead = `dead as materialized (
    update replicas r set seen_at = r.seen_at
    where r.id <> @id and not ${isAlive} and exists (select 1 from tenant_owners o where o.owner = r.id and o.${isAmong})
    returning r.id)`
const isFree = 'o.owner is null'
const isOfNobody = `(${isFree} or o.owner in (select id from dead)
  or not exists (select 1 from replicas r where r.id = o.owner))`
/** Condition that the owner is dead, or that there was none for as long as a dead owner counts as alive. */
const isAbandoned = `${isOfNobody} and (o.owner is not null or not ${isWithin('o.since', deadMs)})`

/** A number, because text would depend on the settings of the connection. */
const microseconds = (time: string) => `cast(extract(epoch from ${time}) * 1000000 as bigint)`

/** Takes nothing after a restore, where an earlier heartbeat is the last one: ids may be those of other tenants. */
const take = (wanted: string) => `free as materialized (
    select tenant_id, owner from tenant_owners o
    where ${isAmong} and ${wanted} and exists (select 1 from replicas r where r.id = @id and ${microseconds('r.seen_at')} >= @lastBeat)
    order by tenant_id limit @most for update skip locked)
  update tenant_owners o set owner = @id, epoch = epoch + 1, since = clock_timestamp() from free where o.tenant_id = free.tenant_id
  returning o.tenant_id as "tenantId", o.epoch, free.owner as former`

export interface Owned {
  readonly tenantId: number
  readonly epoch: number
}

interface Taken extends Owned {
  readonly former: string | null
}

export function replicaStatements(database: PostgresDatabase) {
  return {
    /** Last heartbeat in microseconds since the epoch, by the clock of the database. */
    lastSeen: database.prepareValues<[string], number>(
      `select ${microseconds('seen_at')} from replicas where id = ? for update`,
    ),
    seen: database.prepareValues<[string, boolean, string, string], number>(
      `insert into replicas (id, seen_at, alone, began_at, configured, configuration)
       values (?, clock_timestamp(), ?, clock_timestamp(), ?, ?)
       on conflict (id) do update set seen_at = excluded.seen_at, configured = excluded.configured,
         configuration = excluded.configuration
       returning ${microseconds('seen_at')}`,
    ),
    /** Time of the newest applied migration. */
    layout: database.prepareValues<[], number>(`select max(created_at) from ${marker}`),
    serverStart: database.prepareValues<[], number>(`select ${serverStart}`),
    triggers: database.prepare<[], Triggers>(triggerFacts()),
    /** Raises epochs above all that this replica had, because an epoch that a restore undid must not be used again. */
    renew: database.prepare<[number, string]>(
      'update tenant_owners set epoch = greatest(epoch, ?) + 1 where owner = ?',
    ),
    owned: database.prepare<[string], Owned>(
      'select tenant_id as "tenantId", epoch from tenant_owners where owner = ? order by tenant_id',
    ),
    register: database.prepare<[List]>(
      `insert into tenant_owners (tenant_id, owner, epoch, configured_at, since)
       select x, null, 0, clock_timestamp(), clock_timestamp() from unnest(cast(? as bigint[])) v (x)
       on conflict (tenant_id) do update set configured_at = excluded.configured_at`,
    ),
    /** A row if replicas share the tenants; else a process works alone, or its end is not confirmed yet. */
    isShared: database.prepare<[]>(
      `select 1 from tenant_owners o join replicas r on r.id = o.owner
       where o.tenant_id = 0 and not r.alone and ${isAlive}`,
    ),
    shares: database.prepare<[object], Shares>(
      `select (select count(*) from replicas r where ${isWell}) as replicas,
         (select count(*) from replicas r
           where ${isWell} and (r.id = @id or not ${isWithin('r.began_at', newMs)})) as established,
         count(*) as tenants, count(*) filter (where owner = @id) as own,
         count(*) filter (where not exists (select 1 from tenants t where t.id = o.tenant_id)) as erased,
         count(*) filter (where not ${hasLivingOwner}) as unowned,
         (select cast(coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'configuration', r.configuration) order by r.id), '[]') as text)
           from replicas r where ${isAlive}) as living
       from tenant_owners o where ${isAmong}`,
    ),
    /** Replicas that may own tenants. */
    others: database.prepare<[]>(`select 1 from replicas r where not alone and ${isAlive} limit 1`),
    takeAny: database.prepare<[object], Taken>(`with ${dead}, ${take(isOfNobody)}`),
    takeAbandoned: database.prepare<[object], Taken>(`with ${dead}, ${take(isAbandoned)}`),
    takeFree: database.prepare<[object], Taken>(`with ${take(isFree)}`),
    disown: database.prepare<[]>(
      `update tenant_owners set owner = null, epoch = epoch + 1,
         since = case when owner is null then since else clock_timestamp() end where tenant_id <> 0`,
    ),
    release: database.prepare<[List, string]>(`${release} where tenant_id = any(?) and owner = ?`),
    releaseAll: database.prepare<[string]>(`${release} where owner = ?`),
    gone: database.prepare<[string]>('delete from replicas where id = ?'),
    /** Deletes replicas that are long dead and not the last owner of a tenant. */
    forget: database.prepare<[]>(
      `delete from replicas r where seen_at < clock_timestamp() - interval '1 hour'
         and not exists (select 1 from tenant_owners o where o.owner = r.id)`,
    ),
    /** Names of tenants that no replica's configuration has had for a day. */
    abandoned: database.prepareValues<[], string>(
      `select t.name from tenants t join tenant_owners o on o.tenant_id = t.id
       where o.configured_at < clock_timestamp() - interval '1 day' order by t.name`,
    ),
  }
}
