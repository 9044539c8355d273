import type { PastReader, PostureStore, TenantRow } from '../../mirror/port.ts'
import { pastDataQuality, pastHolds, pastTenant, readInputSnapshot } from '../input-snapshot.ts'

/** A read-only store of a past state, so that the same code reports present and past. */
export function pastStore(past: PastReader, tenants: readonly TenantRow[]): PostureStore {
  const recordOf = async (tenantId: number) => readInputSnapshot(await past.tenantState(tenantId))
  const rowOf = (tenantId: number) => tenants.find(({ id }) => id === tenantId)
  return {
    tenants: async () => tenants,
    async tenant(tenantId) {
      const row = rowOf(tenantId)
      if (row === undefined) throw new Error(`Tenant ${tenantId} is not in the mirror`)
      return pastTenant(row, await recordOf(tenantId))
    },
    async holds(tenantId) {
      const wanted = tenants.filter(({ id }) => tenantId === undefined || id === tenantId)
      const each = await Promise.all(wanted.map(async (row) => pastHolds(row, await recordOf(row.id))))
      return each.flat()
    },
    quality: async (tenantId) => pastDataQuality(await recordOf(tenantId), await past.runs(tenantId), past.at),
    checkStates: (tenantId) => past.checkStates(tenantId),
    findings: (filter) => past.findings(filter),
    lapses: (fingerprints) => past.lapses(fingerprints),
    lapseCounts: (tenantId, check) => past.lapseCounts(tenantId, check),
    lapsedUnderAll: (tenantId, check, waivers) => past.lapsedUnderAll(tenantId, check, waivers),
    isLive: (tenantId, resource, key) => past.isLive(tenantId, resource, key),
    // Staleness at that time is part of the record.
    unconfirmedTime: async () => null,
    // The history does not contain the breadth of waivers.
    waiverBreadth: async () => [],
  }
}
