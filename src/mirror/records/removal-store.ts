import { getTableName } from 'drizzle-orm'
import { dayMs } from '../../model/durations.ts'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { ChangeLog } from '../history/history-store.ts'
import type { Absence, AbsentRecord, BudgetQuery, RemovalBudget, SyncStore } from '../port.ts'
import type { Database, Operations } from '../sqlite/database.ts'
import { type QuarantineStore, quarantineRid } from './quarantine-store.ts'
import { liveCount } from './record-counts.ts'
import { columnOf, recordTables } from './record-tables.ts'
import { ridSet } from './rid-set.ts'

/** Removes records from the live set. Call inside a transaction. */
export interface Removals {
  liveWithout(tenantId: number, resource: ResourceName, shown: Buffer): readonly number[]
  live(tenantId: number, resource: ResourceName): Uint32Array
  /** Live records, and quarantined ones without a live version (negative ids). */
  removable(tenantId: number, resource: ResourceName): readonly number[]
  absentQuarantined(tenantId: number, resource: ResourceName, fullSyncId: number): Absence
  /** Returns how many were live. `serverTime` of the full sync is for the shrink guard; undefined = not counted. */
  tombstone(
    tenantId: number,
    resource: ResourceName,
    rids: readonly number[],
    by: { readonly at: number; readonly requestId: string | null; readonly serverTime?: number | null },
  ): number
  countAbsence(resource: ResourceName, rids: readonly number[]): void
  absent(
    tenantId: number,
    resource: ResourceName,
    rids: readonly number[],
    fullSyncsMore: number,
  ): readonly AbsentRecord[]
  anyAccepted(tenantId: number, resource: ResourceName): boolean
  /** Withdraws accepted and recent removals of records that are returned again; of quarantined ones by key. */
  acceptance(tenantId: number, resource: ResourceName): { seen(rid: number): void; seenKey(key: string): void }
  accept(tenantId: number, resource: ResourceName, rids: Iterable<number>): void
  markMissing(resource: ResourceName, rids: readonly number[], at: number): void
  forgetRecent(tenantId: number): void
}

type Key = string | number

function statementsOf(raw: Database['raw'], resource: ResourceName) {
  const record = recordTables[resource]
  const name = `"${getTableName(record.table)}"`
  const key = columnOf(record, record.key)
  return {
    live: raw.prepare<[number], number>(`select rid from ${name} where tenant_id = ? and removed_at is null`).pluck(),
    tombstone: raw
      .prepare<[number, number], Key>(
        `update ${name} set removed_at = ?, missing_since = null, absent_full_syncs = 0
         where rid = ? and removed_at is null returning ${key}`,
      )
      .pluck(),
    countAbsence: raw.prepare(`update ${name} set absent_full_syncs = absent_full_syncs + 1 where rid = ?`),
    find: raw.prepare<[number], { key: Key; fullSyncs: number }>(
      `select ${key} as key, absent_full_syncs as "fullSyncs" from ${name} where rid = ?`,
    ),
    markMissing: raw.prepare(`update ${name} set missing_since = coalesce(missing_since, ?) where rid = ?`),
  }
}

export function removals(database: Database, log: ChangeLog, quarantine: QuarantineStore): Removals {
  const { raw } = database
  const recent = recentRemovals(database)
  const isAccepted = raw
    .prepare('select 1 from accepted_removals where tenant_id = ? and resource = ? and rid = ?')
    .pluck()
  const anyAccepted = raw
    .prepare('select 1 from accepted_removals where tenant_id = ? and resource = ? limit 1')
    .pluck()
  const insertAccepted = raw.prepare(
    'insert into accepted_removals (tenant_id, resource, rid) values (?, ?, ?) on conflict do nothing',
  )
  const dropAccepted = raw.prepare('delete from accepted_removals where tenant_id = ? and resource = ? and rid = ?')
  const statements = memoize((resource: ResourceName) => statementsOf(raw, resource))

  const parts: Removals = {
    live(tenantId, resource) {
      return Uint32Array.from(statements(resource).live.all(tenantId)).sort()
    },
    liveWithout(tenantId, resource, shown) {
      const seen = ridSet([shown])
      return [...parts.live(tenantId, resource)].filter((rid) => !seen.has(rid))
    },
    removable(tenantId, resource) {
      const quarantined = quarantine.withoutLive(tenantId, recordTables[resource])
      return [...parts.live(tenantId, resource), ...quarantined.map(({ rid }) => rid)]
    },
    absentQuarantined(tenantId, resource, fullSyncId) {
      const all = quarantine.withoutLive(tenantId, recordTables[resource])
      const absent = all.filter((record) => record.fullSyncId !== fullSyncId)
      return {
        live: all.length,
        absent: absent.map(({ rid, key, fullSyncs }) => {
          const accepted = isAccepted.get(tenantId, resource, rid) !== undefined
          return { rid, key, fullSyncs: fullSyncs + 1, accepted }
        }),
      }
    },
    tombstone(tenantId, resource, rids, { at, requestId, serverTime }) {
      const { tombstone } = statements(resource)
      const table = recordTables[resource]
      const quarantined = rids.some((rid) => rid < 0) ? quarantine.withoutLive(tenantId, table) : []
      const keys = new Map(quarantined.map(({ rid, key }) => [rid, key]))
      let tombstoned = 0
      for (const rid of rids) {
        const key = rid < 0 ? keys.get(rid) : tombstone.get(at, rid)
        if (key === undefined) continue
        if (rid > 0) {
          tombstoned++
          log.noted(table, key, 'removed', { tenantId, at, requestId })
        }
        quarantine.drop(tenantId, table, String(key))
        const accepted = dropAccepted.run(tenantId, resource, rid).changes > 0
        if (!accepted && serverTime !== undefined) recent.add(tenantId, resource, rid, at, serverTime)
      }
      return tombstoned
    },
    countAbsence(resource, rids) {
      for (const rid of rids) statements(resource).countAbsence.run(rid)
    },
    absent(tenantId, resource, rids, fullSyncsMore) {
      return rids.flatMap((rid) => {
        const row = statements(resource).find.get(rid)
        if (row === undefined) return []
        const accepted = isAccepted.get(tenantId, resource, rid) !== undefined
        return [{ rid, key: String(row.key), fullSyncs: row.fullSyncs + fullSyncsMore, accepted }]
      })
    },
    anyAccepted: (tenantId, resource) => anyAccepted.get(tenantId, resource) !== undefined,
    acceptance(tenantId, resource) {
      const accepted = parts.anyAccepted(tenantId, resource)
      const removed = recent.has(tenantId, resource)
      const seen = (rid: number) => {
        if (accepted) dropAccepted.run(tenantId, resource, rid)
        if (removed) recent.drop(tenantId, resource, rid)
      }
      return {
        seen,
        seenKey(key) {
          if (accepted || removed) seen(quarantineRid(key))
        },
      }
    },
    accept(tenantId, resource, rids) {
      for (const rid of rids) insertAccepted.run(tenantId, resource, rid)
    },
    markMissing(resource, rids, at) {
      for (const rid of rids) statements(resource).markMissing.run(at, rid)
    },
    forgetRecent: (tenantId) => recent.forget(tenantId),
  }
  return parts
}

export function removalStore(
  database: Database,
  parts: Removals,
): Operations<Pick<SyncStore, 'markMissing' | 'remove' | 'liveCount' | 'removalBudget' | 'withdrawAcceptedRemovals'>> {
  const recent = recentRemovals(database)
  return {
    markMissing: (tenantId, resource, rids, at) =>
      database.run(() => {
        if (rids.length > 0) database.transact({ tenantId, resource }, () => parts.markMissing(resource, rids, at))
      }),
    remove: (tenantId, resource, rids, at, requestId, serverTime) =>
      database.write({ tenantId, resource }, () =>
        parts.tombstone(tenantId, resource, rids, {
          at,
          requestId,
          ...(serverTime === undefined ? {} : { serverTime }),
        }),
      ),
    removalBudget: (query) => database.write('nothing', () => recent.budget(query)),
    withdrawAcceptedRemovals: (tenantId) =>
      database.write('nothing', () => {
        database.raw.prepare('delete from accepted_removals where tenant_id = ?').run(tenantId)
      }),
    liveCount: (tenantId, resource) =>
      database.run(() => database.raw.prepare(liveCount(recordTables[resource])).pluck().get(tenantId) as number),
  }
}

/** Recent removals, which the shrink guard counts beside those that are due. Call inside a transaction. */
interface RecentRemovals {
  add(tenantId: number, resource: ResourceName, rid: number, removedAt: number, serverTime: number | null): void
  has(tenantId: number, resource: ResourceName): boolean
  drop(tenantId: number, resource: ResourceName, rid: number): void
  forget(tenantId: number): void
  budget(query: BudgetQuery): RemovalBudget
}

function recentRemovals({ raw }: Database): RecentRemovals {
  const insert = raw.prepare(
    `insert into recent_removals (tenant_id, resource, rid, removed_at, server_time) values (?, ?, ?, ?, ?)
     on conflict (tenant_id, resource, rid) do update set removed_at = excluded.removed_at, server_time = excluded.server_time`,
  )
  const of = 'tenant_id = @tenantId and resource = @resource'
  const find = raw.prepare('select 1 from recent_removals where tenant_id = ? and resource = ? limit 1')
  const remove = raw.prepare('delete from recent_removals where tenant_id = ? and resource = ? and rid = ?')
  const forget = raw.prepare('delete from recent_removals where tenant_id = ?')
  // A removal is old only by both clocks: a jump forward of one clock must not end the 24 hours.
  const dropOld = raw.prepare(
    `delete from recent_removals where ${of} and removed_at <= @since
       and (server_time is null or cast(@serverTime as bigint) is null or server_time <= @serverSince)`,
  )
  // A clock that was set back prolongs the 24 hours by at most 24 hours.
  const bringBack = raw.prepare(
    `update recent_removals set removed_at = case when removed_at > @at then @at else removed_at end,
       server_time = case when server_time <= @serverTime then server_time else coalesce(@serverTime, server_time) end
     where ${of}`,
  )
  const removed = raw.prepare<[object], number>(`select count(*) from recent_removals where ${of}`).pluck()
  const created = raw
    .prepare<[object], number>(
      `select count(*) from changes where at > @createdSince and at <= @at and kind = 'created' and ${of}`,
    )
    .pluck()
  return {
    add: (...row) => void insert.run(...row),
    has: (tenantId, resource) => find.get(tenantId, resource) !== undefined,
    drop: (tenantId, resource, rid) => void remove.run(tenantId, resource, rid),
    forget: (tenantId) => void forget.run(tenantId),
    budget({ tenantId, resource, at, steadyAt, serverTime, heldSince = null }) {
      // Records created during the hold, or in the 24 hours before it, must not make its removals look few.
      const createdSince = Math.min(at, heldSince ?? at) - dayMs
      const ageMs = Math.max(dayMs, at - (heldSince ?? at))
      const serverSince = serverTime === null ? null : serverTime - ageMs
      const bound = { tenantId, resource, at, since: steadyAt - ageMs, createdSince, serverTime, serverSince }
      if (find.get(tenantId, resource) !== undefined) {
        const { since: _, ...times } = bound
        dropOld.run(bound)
        bringBack.run(times)
      }
      return { removed: removed.get(bound) ?? 0, created: created.get(bound) ?? 0 }
    },
  }
}
