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

/** Of all mirrored tenants. One whose owner died has none since the last heartbeat of that owner. */
export const ownersText = `select t.name as tenant, o.owner as replica,
    case when ${isAlive} then 1 else 0 end as alive, ${ms('clock_timestamp() - r.seen_at')} as "heartbeatAgeMs",
    ${ms(`case when ${isAlive} then o.since else coalesce(r.seen_at, o.since) end`)} as since
  from tenants t left join tenant_owners o on o.tenant_id = t.id left join replicas r on r.id = o.owner`

/**
 * Of all mirrored tenants, by name; times and ages by the clock of the database, so that they are the same in each answer.
 *
 * @throws SyncError `store`.
 */
export async function readOwners(database: PostgresDatabase): Promise<ReadonlyMap<string, OwnerView>> {
  return ownersOf(await database.read(() => database.prepare<[], OwnerRow>(ownersText).all()))
}

/** @param rows of `ownersText`. */
export function ownersOf(rows: readonly OwnerRow[]): ReadonlyMap<string, OwnerView> {
  return new Map(
    rows.map(({ tenant, replica, alive, heartbeatAgeMs, since }) => [
      tenant,
      { replica, isAlive: alive === 1, heartbeatAgeMs, since },
    ]),
  )
}
