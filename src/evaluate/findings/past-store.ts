import type { PastReader, PostureStore, TenantRow } from '../../mirror/port.ts'
import { pastDataQuality, pastHolds, pastTenant, readInputSnapshot } from '../input-snapshot.ts'

/**
 * Answers what outputs ask of the mirror as of a time, from the record: present and past are evaluated and worded by the
 * same code.
 *
 * @param tenants those that the mirror knows; their rows are never erased.
 */
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
    // What was stale by it then is stored as such.
    unconfirmedTime: async () => null,
    // Whether a waiver covers later or more severe findings than those looked at is not kept over time.
    waiverBreadth: async () => [],
  }
}
