import { count, eq, getTableName, sql } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { FindingStore } from '../port.ts'
import { liveCount, missingCount } from '../records/record-counts.ts'
import { columnOf, recordTables } from '../records/record-tables.ts'
import { quarantine, syncStates } from '../schema/index.ts'
import type { Database, Operations } from '../sqlite/database.ts'
import { toSyncState } from './sync-states.ts'

type Part = Operations<Pick<FindingStore, 'quality' | 'isLive' | 'isUncertain'>>

function statementsOf({ raw }: Database, resource: ResourceName) {
  const record = recordTables[resource]
  const { table, key } = record
  const from = `from "${getTableName(table)}" where tenant_id = ? and removed_at is null`
  const hasKey = `and ${columnOf(record, key)} = ?`
  const found = (where: string) => raw.prepare<[number, string | number]>(`select 1 ${from} ${hasKey} ${where}`)
  return {
    live: raw.prepare<[number], number>(liveCount(record)).pluck(),
    missing: raw.prepare<[number], number>(missingCount(record)).pluck(),
    isLive: found(''),
    isUncertain: found('and (missing_since is not null or absent_full_syncs > 0)'),
  }
}

export function qualityStore(database: Database): Part {
  const { orm, raw } = database
  const statements = memoize((resource: ResourceName) => statementsOf(database, resource))
  const tenantId = sql.placeholder('tenantId')
  const states = orm.select().from(syncStates).where(eq(syncStates.tenantId, tenantId)).prepare()
  const quarantined = orm
    .select({ resource: quarantine.resource, count: count() })
    .from(quarantine)
    .where(eq(quarantine.tenantId, tenantId))
    .groupBy(quarantine.resource)
    .prepare()
  const isQuarantined = raw.prepare('select 1 from quarantine where tenant_id = ? and resource = ? and key = ?')
  return {
    quality: (tenantId) =>
      database.run(() => {
        const rows = states.all({ tenantId })
        const held = new Map(quarantined.all({ tenantId }).map((row) => [row.resource, row.count] as const))
        return resourceNames.map((resource) => {
          const { live, missing } = statements(resource)
          return {
            state: toSyncState(
              resource,
              rows.find((row) => row.resource === resource),
            ),
            live: live.get(tenantId) ?? 0,
            quarantined: held.get(resource) ?? 0,
            missing: missing.get(tenantId) ?? 0,
          }
        })
      }),
    isLive: (tenantId, resource, key) =>
      database.run(() => statements(resource).isLive.get(tenantId, recordTables[resource].keyOf(key)) !== undefined),
    isUncertain: (tenantId, resource, key) =>
      database.run(() => {
        const stored = recordTables[resource].keyOf(key)
        if (statements(resource).isUncertain.get(tenantId, stored) !== undefined) return true
        return isQuarantined.get(tenantId, resource, String(stored)) !== undefined
      }),
  }
}
