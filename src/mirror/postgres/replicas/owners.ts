import type { OwnerView } from '../../../model/posture.ts'
import type { PostgresDatabase } from '../database.ts'
import { isAlive } from './replica-statements.ts'

export interface OwnerRow {
  readonly tenant: string
  readonly replica: string | null
  readonly alive: number
  readonly heartbeatAgeMs: number | null
  readonly sinceAgeMs: number | null
}

const ageMs = (at: string) => `cast(extract(epoch from clock_timestamp() - ${at}) * 1000 as bigint)`

/** Of all mirrored tenants. One whose owner died has none since the last heartbeat of that owner. */
export const ownersText = `select t.name as tenant, o.owner as replica,
    case when ${isAlive} then 1 else 0 end as alive, ${ageMs('r.seen_at')} as "heartbeatAgeMs",
    ${ageMs(`case when ${isAlive} then o.since else coalesce(r.seen_at, o.since) end`)} as "sinceAgeMs"
  from tenants t left join tenant_owners o on o.tenant_id = t.id left join replicas r on r.id = o.owner`

/**
 * Of all mirrored tenants, by name.
 *
 * @param now of the local clock, in milliseconds since the epoch; ages are of the clock of the database.
 * @throws SyncError `store`.
 */
export async function readOwners(database: PostgresDatabase, now: number): Promise<ReadonlyMap<string, OwnerView>> {
  return ownersOf(await database.read(() => database.prepare<[], OwnerRow>(ownersText).all()), now)
}

/** @param rows of `ownersText`. */
export function ownersOf(rows: readonly OwnerRow[], now: number): ReadonlyMap<string, OwnerView> {
  return new Map(
    rows.map(({ tenant, replica, alive, heartbeatAgeMs, sinceAgeMs }) => [
      tenant,
      { replica, isAlive: alive === 1, heartbeatAgeMs, since: sinceAgeMs === null ? null : now - sinceAgeMs },
    ]),
  )
}
