import { dayMs } from '../../model/durations.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { BudgetQuery, RemovalBudget } from '../port.ts'
import type { Database } from '../sqlite/database.ts'

/** Recent removals, which the shrink guard counts beside those that are due. Call inside a transaction. */
export interface RecentRemovals {
  add(tenantId: number, resource: ResourceName, rid: number, removedAt: number, serverTime: number | null): void
  has(tenantId: number, resource: ResourceName): boolean
  drop(tenantId: number, resource: ResourceName, rid: number): void
  forget(tenantId: number): void
  budget(query: BudgetQuery): RemovalBudget
}

export function recentRemovals({ raw }: Database): RecentRemovals {
  const insert = raw.prepare(
    'insert or replace into recent_removals (tenant_id, resource, rid, removed_at, server_time) values (?, ?, ?, ?, ?)',
  )
  const of = 'tenant_id = @tenantId and resource = @resource'
  const find = raw.prepare('select 1 from recent_removals where tenant_id = ? and resource = ? limit 1')
  const remove = raw.prepare('delete from recent_removals where tenant_id = ? and resource = ? and rid = ?')
  const forget = raw.prepare('delete from recent_removals where tenant_id = ?')
  // A removal is old only by both clocks: a jump forward of one clock must not end the 24 hours.
  const dropOld = raw.prepare(
    `delete from recent_removals where ${of} and removed_at <= @since
       and (server_time is null or @serverTime is null or server_time <= @serverSince)`,
  )
  // A clock that was set back prolongs the 24 hours by at most 24 hours.
  const bringBack = raw.prepare(
    `update recent_removals set removed_at = min(removed_at, @at),
       server_time = min(coalesce(server_time, @serverTime), coalesce(@serverTime, server_time)) where ${of}`,
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
    budget({ tenantId, resource, at, serverTime, heldSince = null }) {
      // Records created during the hold, or in the 24 hours before it, must not make its removals look few.
      const createdSince = Math.min(at, heldSince ?? at) - dayMs
      const ageMs = Math.max(dayMs, at - (heldSince ?? at))
      const serverSince = serverTime === null ? null : serverTime - ageMs
      const bound = { tenantId, resource, at, since: at - ageMs, createdSince, serverTime, serverSince }
      if (find.get(tenantId, resource) !== undefined) {
        const { since: _, ...times } = bound
        dropOld.run(bound)
        bringBack.run(times)
      }
      return { removed: removed.get(bound) ?? 0, created: created.get(bound) ?? 0 }
    },
  }
}
