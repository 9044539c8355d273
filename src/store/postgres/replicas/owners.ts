import type { OwnerView } from '../../../model/posture.ts'
import type { PostgresDatabase } from '../database.ts'
import { isAlive } from './replica-statements.ts'

export interface OwnerRow {
  readonly tenant: string
  readonly replica: string | null
  readonly alive: number
  readonly heartbeatAgeMs: number | null
  readonly since: number | null
}

const ms = (time: string) => `cast(extract(epoch from ${time}) * 1000 as bigint)`

/** Owners of all mirrored tenants. A tenant whose owner died has had none since that owner's last heartbeat. */
export const ownersText = `select t.name as tenant, o.owner as replica,
    case when ${isAlive} then 1 else 0 end as alive, ${ms('clock_timestamp() - r.seen_at')} as "heartbeatAgeMs",
    ${ms(`case when ${isAlive} then o.since else coalesce(r.seen_at, o.since) end`)} as since
  from tenants t left join tenant_owners o on o.tenant_id = t.id left join replicas r on r.id = o.owner`

/**
 * Owners of all mirrored tenants, by name; times and ages by the clock of the database, so that all replicas agree.
 *
 * @throws SyncError `store`.
 */
export async function readOwners(database: PostgresDatabase): Promise<ReadonlyMap<string, OwnerView>> {
  return ownersOf(await database.read(() => database.prepare<[], OwnerRow>(ownersText).all()))
}

/** @param rows result of `ownersText`. */
export function ownersOf(rows: readonly OwnerRow[]): ReadonlyMap<string, OwnerView> {
  return new Map(
    rows.map(({ tenant, replica, alive, heartbeatAgeMs, since }) => [
      tenant,
      { replica, isAlive: alive === 1, heartbeatAgeMs, since },
    ]),
  )
}
