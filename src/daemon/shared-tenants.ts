import type { Clock } from '../model/clock.ts'
import { minuteMs } from '../model/durations.ts'
import { sharedRecords } from '../model/shared-records.ts'
import type { FirstRecord, Mirror } from '../store/port.ts'

/** By name of a configured tenant: another one with the same API clients or documents. */
type SharedBy = ReadonlyMap<string, string>

/** Finds configured tenants whose tokens belong to the same tenant (docs/internals/reliability.md#what-is-not-proven). */
export interface SharedTenants {
  /** @throws SyncError `store`. */
  read(mirror: Pick<Mirror, 'firstRecords'>): Promise<SharedBy>
  /** Drops the cached result. */
  forget(): void
}

const noneShared: SharedBy = new Map()

/** A read takes longer with more tenants, so it is repeated less often. */
const rememberedMs = (tenants: number) => Math.min(minuteMs, tenants * 100)

export function sharedTenants(configured: readonly string[], clock: Clock): SharedTenants {
  const names = new Set(configured)
  let known: Promise<SharedBy> | undefined
  let readAt = 0
  return {
    async read(mirror) {
      if (names.size < 2) return noneShared
      const now = clock.monotonic()
      if (known !== undefined && now - readAt < rememberedMs(names.size)) return known
      readAt = now
      const reading = mirror.firstRecords().then((records) => sharing(records, names))
      known = reading
      reading.catch(() => {
        if (known === reading) known = undefined
      })
      return reading
    },
    forget() {
      known = undefined
    },
  }
}

function sharing(records: readonly FirstRecord[], configured: ReadonlySet<string>): SharedBy {
  const shared = new Map<string, string>()
  for (const { first, record } of sharedRecords(records.filter(({ tenant }) => configured.has(tenant)))) {
    shared.set(record.tenant, first)
    if (!shared.has(first)) shared.set(first, record.tenant)
  }
  return shared
}
