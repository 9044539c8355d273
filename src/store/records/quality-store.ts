import type { ResourceName } from '../../model/resource-names.ts'
import type { Db } from '../db/db.ts'
import type { ResourceQuality } from '../sync/sync-port.ts'
import { stateRows } from '../sync/sync-states.ts'
import { isLive } from './record-reader.ts'
import { recordShapes } from './record-shape.ts'

/** `uncertain`: a live record that was quarantined since, is missing, or was absent from the last complete full sync. */
export type RecordPresence = 'live' | 'uncertain' | 'removed'

export interface QuarantinedRecord {
  readonly tenant: string
  readonly resource: ResourceName
  /** A digest if no id could be read. */
  readonly id: string
  /** Names fields and kinds of values, no values. */
  readonly problem: string
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly requestId: string | null
}

interface Counted {
  readonly resource: string
  readonly count: number
}

const countBy = (condition: string) =>
  `select resource, count(*) as count from records where tenant_id = ? and ${condition} group by resource`

const presence = `case when removed_at is not null then 'removed'
  when missing_since is not null or absent > 0 or problem is not null then 'uncertain' else 'live' end`

/** Whether the records of a tenant may be believed. */
export function qualityStore(db: Db) {
  const { recordsByKeys } = db.dialect
  return {
    quality: (tenantId: number): Promise<readonly ResourceQuality[]> =>
      db.read(async (sql) => {
        const quarantined = await sql<Counted>(countBy('problem is not null'), [tenantId])
        const missing = await sql<Counted>(countBy('missing_since is not null'), [tenantId])
        return (await stateRows(sql, tenantId)).map((row) => {
          const countOf = (counts: readonly Counted[]) =>
            counts.find(({ resource }) => resource === row.resource)?.count ?? 0
          return { state: row, quarantined: countOf(quarantined), missing: countOf(missing) }
        })
      }),
    isLive: (tenantId: number, resource: ResourceName, key: string) =>
      db.read(async (sql) => {
        const text = `select 1 from records where tenant_id = ? and resource = ? and key = ? and ${isLive}`
        return (await sql(text, [tenantId, resource, recordShapes[resource].keyOf(key)])).length > 0
      }),
    /** By key; none for a record whose row is gone. */
    presence: (tenantId: number, resource: ResourceName, keys: readonly string[]) =>
      db.read(async (sql): Promise<ReadonlyMap<string, RecordPresence>> => {
        const params = [{ tenantId, resource, keys: keys.map(recordShapes[resource].keyOf) }]
        return new Map(await sql<[string, RecordPresence]>(recordsByKeys(`key, ${presence}`), params, 'arrays'))
      }),
    quarantined: () =>
      db.read((sql) =>
        sql<QuarantinedRecord>(
          `select t.name as tenant, r.resource, r.key as id, r.problem, r.problem_since as "since",
             r.request_id as "requestId"
           from records r join tenants t on t.id = r.tenant_id where r.problem is not null
           order by t.name, r.resource, r.problem_since, r.key`,
        ),
      ),
  }
}
