import { count, eq, getTableName, sql } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { List, TenantKeys } from '../db/db.ts'
import { orm } from '../orm.ts'
import type { FindingStore, RecordPresence, ResourceQuality } from '../port.ts'
import { contradictedMark } from '../records/quarantine-store.ts'
import { liveCount, missingCount } from '../records/record-counts.ts'
import { columnOf, recordTables } from '../records/record-tables.ts'
import { quarantine, syncStates } from '../schema/index.ts'
import { toSyncState } from './sync-states.ts'

type Part = Pick<FindingStore, 'quality' | 'isLive' | 'presence'>

function statementsOf(database: Database, resource: ResourceName) {
  const record = recordTables[resource]
  const { table, key } = record
  const from = `from "${getTableName(table)}" where tenant_id = ? and ${columnOf(record, key)}`
  return {
    live: database.prepareValues<[number], number>(liveCount(record)),
    missing: database.prepareValues<[number], number>(missingCount(record)),
    isLive: database.prepare<[number, string | number]>(`select 1 ${from} = ? and removed_at is null`),
    presence: database.prepare<[TenantKeys], PresenceRow>(
      database.sql.selectByKeys({
        columns: [
          `${columnOf(record, key)} as key`,
          'removed_at as "removedAt"',
          'missing_since as "missingSince"',
          'absent_full_syncs as "absentFullSyncs"',
        ],
        table: getTableName(table),
        key: columnOf(record, key),
      }),
    ),
  }
}

interface PresenceRow {
  readonly key: string | number
  readonly removedAt: number | null
  readonly missingSince: number | null
  readonly absentFullSyncs: number
}

function presenceOf({ removedAt, missingSince, absentFullSyncs }: PresenceRow): RecordPresence {
  if (removedAt !== null) return 'removed'
  return missingSince === null && absentFullSyncs === 0 ? 'live' : 'uncertain'
}

export function qualityStore(database: Database): Part {
  const statements = memoize((resource: ResourceName) => statementsOf(database, resource))
  const tenantId = sql.placeholder('tenantId')
  const states = database.select(orm.select().from(syncStates).where(eq(syncStates.tenantId, tenantId)))
  const quarantined = database.select(
    orm
      .select({ resource: quarantine.resource, count: count() })
      .from(quarantine)
      .where(eq(quarantine.tenantId, tenantId))
      .groupBy(quarantine.resource),
  )
  const { isIn, listOf } = database.sql
  const quarantinedOf = database.prepareValues<[number, string, List], string>(
    `select key from quarantine where tenant_id = ? and resource = ? and ${isIn('key')}`,
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
    isLive: (tenantId, resource, key) =>
      database.read(async (tx) => {
        return (await statements(resource).isLive.get(tx, tenantId, recordTables[resource].keyOf(key))) !== undefined
      }),
    presence: (tenantId, resource, keys) =>
      database.read(async (tx) => {
        const stored = keys.map((key) => recordTables[resource].keyOf(key))
        const rows = await statements(resource).presence.all(tx, { tenantId, keys: listOf(stored) })
        const texts = stored.map(String)
        const marked = [...texts, ...texts.map((key) => contradictedMark + key)]
        const held = new Set(await quarantinedOf.all(tx, tenantId, resource, listOf(marked)))
        return new Map(
          rows.map((row): readonly [string, RecordPresence] => {
            const key = String(row.key)
            const presence = presenceOf(row)
            const isHeld = held.has(key) || held.has(contradictedMark + key)
            return [key, presence === 'live' && isHeld ? 'uncertain' : presence]
          }),
        )
      }),
  }
}
