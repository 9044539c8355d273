import { secondMs } from '../../../model/durations.ts'
import type { List } from '../../database.ts'
import type { PostgresDatabase } from '../database.ts'
import { marker } from '../migrate.ts'

/** After its last heartbeat a replica is dead, by the clock of the database; in milliseconds. */
const deadMs = 10 * secondMs

/** A replica whose heartbeat is a second late may be frozen: it takes nothing until the next one. */
const lateMs = 3 * secondMs

const seenWithin = (ms: number) => `r.seen_at > clock_timestamp() - interval '${ms} milliseconds'`

/** Of the replica `r`. */
export const isAlive = seenWithin(deadMs)
const hasLivingOwner = `exists (select 1 from replicas r where r.id = o.owner and ${isAlive})`
const release = 'update tenant_owners set owner = null, epoch = epoch + 1, since = clock_timestamp()'
const isAmong = 'tenant_id = any(@among)'

const takeThose = (where: string) => `with free as materialized (
    select tenant_id, owner from tenant_owners o
    where ${isAmong} and owner is distinct from @id and not ${hasLivingOwner} and ${where}
      and exists (select 1 from replicas r where r.id = @id)
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

interface Shares {
  readonly replicas: number
  readonly tenants: number
  readonly own: number
  readonly unowned: number
}

export function replicaStatements(database: PostgresDatabase) {
  return {
    seen: database.prepare<[string, boolean]>(
      `insert into replicas (id, seen_at, alone) values (?, clock_timestamp(), ?)
       on conflict (id) do update set seen_at = excluded.seen_at`,
    ),
    /** Time of the newest applied migration. */
    layout: database.prepareValues<[], number>(`select max(created_at) from ${marker}`),
    serverStart: database.prepareValues<[], string>('select cast(pg_postmaster_start_time() as text)'),
    renew: database.prepare<[string]>('update tenant_owners set epoch = epoch + 1 where owner = ?'),
    owned: database.prepare<[string], Owned>(
      'select tenant_id as "tenantId", epoch from tenant_owners where owner = ? order by tenant_id',
    ),
    register: database.prepare<[List]>(
      `insert into tenant_owners (tenant_id, owner, epoch, configured_at, since)
       select x, null, 0, clock_timestamp(), clock_timestamp() from unnest(cast(? as bigint[])) v (x)
       on conflict (tenant_id) do update set configured_at = excluded.configured_at`,
    ),
    /** Whether replicas share the tenants: else a process works alone, or its end is not known yet. */
    isShared: database.prepare<[]>(
      `select 1 from tenant_owners o join replicas r on r.id = o.owner
       where o.tenant_id = 0 and not r.alone and ${isAlive}`,
    ),
    shares: database.prepare<[object], Shares>(
      `select (select count(*) from replicas r where ${seenWithin(lateMs)}) as replicas,
         count(*) as tenants, count(*) filter (where owner = @id) as own,
         count(*) filter (where not ${hasLivingOwner}) as unowned
       from tenant_owners o where ${isAmong}`,
    ),
    /** Replicas that may own tenants. */
    others: database.prepare<[]>(`select 1 from replicas r where not alone and ${isAlive} limit 1`),
    takeAny: database.prepare<[object], Taken>(takeThose('true')),
    takeOfDead: database.prepare<[object], Taken>(takeThose('owner is not null')),
    takeFree: database.prepare<[object], Taken>(takeThose('owner is null')),
    disown: database.prepare<[]>(
      `update tenant_owners set owner = null, epoch = epoch + 1,
         since = case when owner is null then since else clock_timestamp() end where tenant_id <> 0`,
    ),
    release: database.prepare<[List, string]>(`${release} where tenant_id = any(?) and owner = ?`),
    releaseAll: database.prepare<[string]>(`${release} where owner = ?`),
    gone: database.prepare<[string]>('delete from replicas where id = ?'),
    /** Dead for long, and the last owner of no tenant. */
    forget: database.prepare<[]>(
      `delete from replicas r where seen_at < clock_timestamp() - interval '1 hour'
         and not exists (select 1 from tenant_owners o where o.owner = r.id)`,
    ),
    /** Names of tenants that no replica has had in its configuration for a day. */
    abandoned: database.prepareValues<[], string>(
      `select t.name from tenants t join tenant_owners o on o.tenant_id = t.id
       where o.configured_at < clock_timestamp() - interval '1 day' order by t.name`,
    ),
  }
}
