import { getTableColumns, getTableName } from 'drizzle-orm'
import type { ResourceName } from '../model/resource-names.ts'
import type { ChangeLog } from './change-log.ts'
import { type Database, transact } from './database.ts'
import type { AbsentRecord, SyncStore } from './port.ts'
import { recordTables } from './record-tables.ts'
import { ridsWithout, sortedRids } from './rid-set.ts'

/** Everything by which a record leaves the live set; the methods expect to run inside a transaction. */
export interface Removals {
  /** Live records whose id is not among the packed ones. */
  liveWithout(tenantId: number, resource: ResourceName, ...seen: readonly Buffer[]): readonly number[]
  live(tenantId: number, resource: ResourceName): Uint32Array
  /** Tombstones records; returns how many were live. */
  bury(tenantId: number, resource: ResourceName, rids: readonly number[], at: number, requestId: string | null): number
  countAbsence(resource: ResourceName, rids: readonly number[]): void
  absent(tenantId: number, resource: ResourceName, rids: readonly number[], walksMore: number): readonly AbsentRecord[]
  /** Withdraws accepted removals of records that are seen. */
  acceptance(tenantId: number, resource: ResourceName): { seen(rid: number): void }
  accept(tenantId: number, resource: ResourceName, rids: Iterable<number>): void
  markMissing(resource: ResourceName, rids: readonly number[], at: number): void
  missing(tenantId: number, resource: ResourceName, limit: number): readonly AbsentRecord[]
}

export function removals({ raw }: Database, log: ChangeLog): Removals {
  const isAccepted = raw
    .prepare('select 1 from accepted_removals where tenant_id = ? and resource = ? and rid = ?')
    .pluck()
  const anyAccepted = raw
    .prepare('select 1 from accepted_removals where tenant_id = ? and resource = ? limit 1')
    .pluck()
  const insertAccepted = raw.prepare(
    'insert or ignore into accepted_removals (tenant_id, resource, rid) values (?, ?, ?)',
  )
  const dropAccepted = raw.prepare('delete from accepted_removals where tenant_id = ? and resource = ? and rid = ?')
  const nameOf = (resource: ResourceName) => `"${getTableName(recordTables[resource].table)}"`
  const keyOf = (resource: ResourceName) => {
    const { table, key } = recordTables[resource]
    return `"${getTableColumns(table)[key]?.name ?? key}"`
  }

  const parts: Removals = {
    live(tenantId, resource) {
      const rids = raw
        .prepare(`select rid from ${nameOf(resource)} where tenant_id = ? and removed_at is null`)
        .pluck()
        .all(tenantId) as number[]
      return Uint32Array.from(rids).sort()
    },
    liveWithout: (tenantId, resource, ...seen) => ridsWithout(parts.live(tenantId, resource), sortedRids(seen)),
    bury(tenantId, resource, rids, at, requestId) {
      const bury = raw.prepare(
        `update ${nameOf(resource)} set removed_at = ?, missing_since = null, absent_walks = 0
         where rid = ? and removed_at is null returning ${keyOf(resource)}`,
      )
      let buried = 0
      for (const rid of rids) {
        const key = bury.pluck().get(at, rid) as string | number | undefined
        if (key === undefined) continue
        buried++
        log.noted(recordTables[resource], key, 'removed', { tenantId, at, requestId })
        dropAccepted.run(tenantId, resource, rid)
      }
      return buried
    },
    countAbsence(resource, rids) {
      const count = raw.prepare(`update ${nameOf(resource)} set absent_walks = absent_walks + 1 where rid = ?`)
      for (const rid of rids) count.run(rid)
    },
    absent(tenantId, resource, rids, walksMore) {
      const find = raw.prepare<[number], { key: string | number; walks: number }>(
        `select ${keyOf(resource)} as key, absent_walks as walks from ${nameOf(resource)} where rid = ?`,
      )
      return rids.flatMap((rid) => {
        const row = find.get(rid)
        if (row === undefined) return []
        const accepted = isAccepted.get(tenantId, resource, rid) !== undefined
        return [{ rid, key: String(row.key), walks: row.walks + walksMore, accepted }]
      })
    },
    acceptance(tenantId, resource) {
      if (anyAccepted.get(tenantId, resource) === undefined) return { seen() {} }
      return { seen: (rid) => void dropAccepted.run(tenantId, resource, rid) }
    },
    accept(tenantId, resource, rids) {
      for (const rid of rids) insertAccepted.run(tenantId, resource, rid)
    },
    markMissing(resource, rids, at) {
      const mark = raw.prepare(
        `update ${nameOf(resource)} set missing_since = coalesce(missing_since, ?) where rid = ?`,
      )
      for (const rid of rids) mark.run(at, rid)
    },
    missing(tenantId, resource, limit) {
      const rids = raw
        .prepare(
          `select rid from ${nameOf(resource)} where tenant_id = ? and missing_since is not null and removed_at is null
           order by rid in (select rid from accepted_removals where tenant_id = ? and resource = ?) desc, missing_since, rid
           limit ?`,
        )
        .pluck()
        .all(tenantId, tenantId, resource, limit) as number[]
      return parts.absent(tenantId, resource, rids, 0)
    },
  }
  return parts
}

/** The port's side of removals. */
export function removalStore(
  database: Database,
  parts: Removals,
): Pick<SyncStore, 'markMissing' | 'missing' | 'remove' | 'liveCount'> {
  return {
    async markMissing(_tenantId, resource, rids, at) {
      if (rids.length > 0) transact(database, () => parts.markMissing(resource, rids, at))
    },
    missing: async (tenantId, resource, limit) => parts.missing(tenantId, resource, limit),
    remove: async (tenantId, resource, rids, at, requestId) =>
      transact(database, () => parts.bury(tenantId, resource, rids, at, requestId)),
    async liveCount(tenantId, resource) {
      const name = getTableName(recordTables[resource].table)
      return database.raw
        .prepare(`select count(*) from "${name}" where tenant_id = ? and removed_at is null`)
        .pluck()
        .get(tenantId) as number
    },
  }
}
