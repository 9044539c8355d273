import { resourceNames } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { FindingStore, RecordPresence } from '../port.ts'
import { isLive } from '../records/record-reader.ts'
import { recordShapes } from '../records/record-shape.ts'
import { stateRows, toSyncState } from './sync-states.ts'

type Part = Pick<FindingStore, 'quality' | 'isLive' | 'presence'>

interface Counted {
  readonly resource: string
  readonly count: number
}

const countBy = (condition: string) =>
  `select resource, count(*) as count from records where tenant_id = ? and ${condition} group by resource`

interface PresenceRow {
  readonly key: string
  readonly removedAt: number | null
  /** 1 if it is missing, absent or quarantined. */
  readonly isDoubted: number
}

const presenceColumns = `key, removed_at as "removedAt",
  case when missing_since is not null or absent > 0 or problem is not null then 1 else 0 end as "isDoubted"`

function presenceOf({ removedAt, isDoubted }: PresenceRow): RecordPresence {
  if (removedAt !== null) return 'removed'
  return isDoubted === 1 ? 'uncertain' : 'live'
}

export function qualityStore(database: Database): Part {
  const { recordsByKeys, listOf } = database.sql
  return {
    quality: (tenantId) =>
      database.read(async (sql) => {
        const states = await stateRows(sql, tenantId)
        const quarantined = await sql<Counted>(countBy('problem is not null'), [tenantId])
        const missing = await sql<Counted>(countBy('missing_since is not null'), [tenantId])
        const countOf = (counts: readonly Counted[], name: string) =>
          counts.find(({ resource }) => resource === name)?.count ?? 0
        return resourceNames.map((resource) => {
          const row = states.find((one) => one.resource === resource)
          return {
            state: toSyncState(resource, row),
            live: row?.live ?? 0,
            quarantined: countOf(quarantined, resource),
            missing: countOf(missing, resource),
          }
        })
      }),
    isLive: (tenantId, resource, key) =>
      database.read(async (sql) => {
        const text = `select 1 from records where tenant_id = ? and resource = ? and key = ? and ${isLive}`
        return (await sql(text, [tenantId, resource, recordShapes[resource].keyOf(key)])).length > 0
      }),
    presence: (tenantId, resource, keys) =>
      database.read(async (sql) => {
        const stored = listOf(keys.map(recordShapes[resource].keyOf))
        const rows = await sql<PresenceRow>(recordsByKeys(presenceColumns), [{ tenantId, resource, keys: stored }])
        return new Map(rows.map((row) => [row.key, presenceOf(row)]))
      }),
  }
}
