import { and, count, eq, getTableColumns, getTableName } from 'drizzle-orm'
import { resourceNames } from '../model/resource-names.ts'
import type { Database } from './database.ts'
import type { FindingStore } from './port.ts'
import { recordReader } from './record-reader.ts'
import { recordTables } from './record-tables.ts'
import { quarantine, syncStates, tenants } from './schema/index.ts'
import { toSyncState, toTenant } from './tenant-store.ts'

type Part = Pick<FindingStore, 'records' | 'trust' | 'isLive' | 'inDoubt' | 'tenants'>

/** What a judge asks of the mirror: records, and how far they can be trusted. */
export function trustStore(database: Database): Part {
  const { orm, raw } = database
  return {
    records: (tenantId) => recordReader(database, tenantId),
    async trust(tenantId) {
      const states = orm.select().from(syncStates).where(eq(syncStates.tenantId, tenantId)).all()
      const quarantined = new Map(
        orm
          .select({ resource: quarantine.resource, count: count() })
          .from(quarantine)
          .where(eq(quarantine.tenantId, tenantId))
          .groupBy(quarantine.resource)
          .all()
          .map((row) => [row.resource, row.count] as const),
      )
      return resourceNames.map((resource) => {
        const name = getTableName(recordTables[resource].table)
        const counted = (where: string) =>
          raw
            .prepare(`select count(*) from "${name}" where tenant_id = ? and removed_at is null ${where}`)
            .pluck()
            .get(tenantId) as number
        return {
          state: toSyncState(
            resource,
            states.find((state) => state.resource === resource),
          ),
          live: counted(''),
          quarantined: quarantined.get(resource) ?? 0,
          missing: counted('and missing_since is not null'),
        }
      })
    },
    async isLive(tenantId, resource, key) {
      const { table, key: property, keyOf } = recordTables[resource]
      const column = getTableColumns(table)[property]?.name ?? property
      const find = `select 1 from "${getTableName(table)}" where tenant_id = ? and "${column}" = ? and removed_at is null`
      return raw.prepare(find).get(tenantId, keyOf(key)) !== undefined
    },
    async inDoubt(tenantId, resource, key) {
      const { table, key: property, keyOf } = recordTables[resource]
      const column = getTableColumns(table)[property]?.name ?? property
      const stored = keyOf(key)
      const find = `select 1 from "${getTableName(table)}" where tenant_id = ? and "${column}" = ?
        and removed_at is null and (missing_since is not null or absent_walks > 0)`
      if (raw.prepare(find).get(tenantId, stored) !== undefined) return true
      const where = and(
        eq(quarantine.tenantId, tenantId),
        eq(quarantine.resource, resource),
        eq(quarantine.key, String(stored)),
      )
      return orm.select({ key: quarantine.key }).from(quarantine).where(where).get() !== undefined
    },
    async tenants() {
      return orm.select().from(tenants).orderBy(tenants.name).all().map(toTenant)
    },
  }
}
