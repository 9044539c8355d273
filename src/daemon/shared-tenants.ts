import type { FirstRecord, Mirror } from '../mirror/port.ts'
import type { Clock } from '../model/clock.ts'
import { minuteMs } from '../model/durations.ts'
import { sharedRecords } from '../model/shared-records.ts'

/** By name of a configured tenant, another one that has the same API clients or documents. */
export type SharedTenants = ReadonlyMap<string, string>

/** Reads at most once a minute which of the configured tenants are one tenant: their tokens belong to it. */
export function sharedTenants(
  mirror: Pick<Mirror, 'firstRecords'>,
  configured: readonly string[],
  clock: Clock,
): () => Promise<SharedTenants> {
  let known: Promise<SharedTenants> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = clock.monotonic()
    if (known !== undefined && now - readAt < minuteMs) return known
    readAt = now
    known = mirror.firstRecords().then((records) => sharing(records, new Set(configured)))
    known.catch(() => {
      known = undefined
    })
    return known
  }
}

function sharing(records: readonly FirstRecord[], configured: ReadonlySet<string>): SharedTenants {
  const shared = new Map<string, string>()
  for (const { first, record } of sharedRecords(records.filter(({ tenant }) => configured.has(tenant)))) {
    shared.set(record.tenant, first)
    if (!shared.has(first)) shared.set(first, record.tenant)
  }
  return shared
}
