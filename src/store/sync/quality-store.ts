import { count, eq, getTableName, sql } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import { orm } from '../orm.ts'
import type { FindingStore, ResourceQuality } from '../port.ts'
import { contradictedMark } from '../records/quarantine-store.ts'
import { liveCount, missingCount } from '../records/record-counts.ts'
import { columnOf, recordTables } from '../records/record-tables.ts'
import { quarantine, syncStates } from '../schema/index.ts'
import { toSyncState } from './sync-states.ts'

type Part = Pick<FindingStore, 'quality' | 'isLive' | 'isTombstone' | 'isUncertain'>

function statementsOf(database: Database, resource: ResourceName) {
  const record = recordTables[resource]
  const { table, key } = record
  const from = `from "${getTableName(table)}" where tenant_id = ? and ${columnOf(record, key)} = ?`
  const found = (where: string) => database.prepare<[number, string | number]>(`select 1 ${from} and ${where}`)
  return {
    live: database.prepareValues<[number], number>(liveCount(record)),
    missing: database.prepareValues<[number], number>(missingCount(record)),
    isLive: found('removed_at is null'),
    isTombstone: found('removed_at is not null'),
    isUncertain: found('removed_at is null and (missing_since is not null or absent_full_syncs > 0)'),
  }
}

export function qualityStore(database: Database): Part {
  const statements = memoize((resource: ResourceName) => statementsOf(database, resource))
  const is =
    (state: 'isLive' | 'isTombstone'): Part[typeof state] =>
    (tenantId, resource, key) =>
      database.read(async (tx) => {
        return (await statements(resource)[state].get(tx, tenantId, recordTables[resource].keyOf(key))) !== undefined
      })
  const tenantId = sql.placeholder('tenantId')
  const states = database.select(orm.select().from(syncStates).where(eq(syncStates.tenantId, tenantId)))
  const quarantined = database.select(
    orm
      .select({ resource: quarantine.resource, count: count() })
      .from(quarantine)
      .where(eq(quarantine.tenantId, tenantId))
      .groupBy(quarantine.resource),
  )
  const isQuarantined = database.prepare<[number, string, string, string]>(
    'select 1 from quarantine where tenant_id = ? and resource = ? and key in (?, ?)',
  )
  return {
    quality: (tenantId) =>
      database.read(async (tx) => {
        const rows = await states.all(tx, { tenantId })
        const held = new Map((await quarantined.all(tx, { tenantId })).map((row) => [row.resource, row.count] as const))
        const found: ResourceQuality[] = []
        for (const resource of resourceNames) {
          const { live, missing } = statements(resource)
          found.push({
            state: toSyncState(
              resource,
              rows.find((row) => row.resource === resource),
            ),
            live: (await live.get(tx, tenantId)) ?? 0,
            quarantined: held.get(resource) ?? 0,
            missing: (await missing.get(tx, tenantId)) ?? 0,
          })
        }
        return found
      }),
    isLive: is('isLive'),
    isTombstone: is('isTombstone'),
    isUncertain: (tenantId, resource, key) =>
      database.read(async (tx) => {
        const stored = recordTables[resource].keyOf(key)
        if ((await statements(resource).isUncertain.get(tx, tenantId, stored)) !== undefined) return true
        return (
          (await isQuarantined.get(tx, tenantId, resource, String(stored), contradictedMark + stored)) !== undefined
        )
      }),
  }
}
