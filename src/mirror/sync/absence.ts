import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { Absence, AbsentRecord, LeftOut } from '../port.ts'
import { oneOf } from '../records/record-codec.ts'
import { liveCount } from '../records/record-counts.ts'
import { columnOf, leastKey, recordTables } from '../records/record-tables.ts'
import type { Removals } from '../records/removal-store.ts'
import { ridSet } from '../records/rid-set.ts'
import type { Database } from '../sqlite/database.ts'

const batchSize = 10_000

function statementsOf(raw: Database['raw'], resource: ResourceName) {
  const record = recordTables[resource]
  const name = `"${getTableName(record.table)}"`
  const column = columnOf(record, record.key)
  type Key = string | number
  return {
    // In key order, so that only the index on the key is read, not the records.
    lastOfBatch: raw
      .prepare<[number, Key], Key>(
        `select ${column} from ${name} where tenant_id = ? and ${column} > ? order by ${column} limit 1 offset ${batchSize - 1}`,
      )
      .pluck(),
    batch: raw
      .prepare<[number, Key, Key], number>(
        `select rid from ${name} where tenant_id = ? and ${column} > ? and ${column} <= ?`,
      )
      .pluck(),
    rest: raw.prepare<[number, Key], number>(`select rid from ${name} where tenant_id = ? and ${column} > ?`).pluck(),
    live: raw.prepare<[number], number>(liveCount(record)).pluck(),
    isLive: raw.prepare<[number], number>(`select 1 from ${name} where rid = ? and removed_at is null`).pluck(),
  }
}

/** Live and quarantined records that a full sync did not return; batches keep the event loop free. */
export function absences(
  { raw }: Database,
  removals: Removals,
): (fullSync: { id: number; tenantId: number; resource: ResourceName }, shown: readonly Buffer[]) => Promise<Absence> {
  const statements = memoize((resource: ResourceName) => statementsOf(raw, resource))
  return async ({ id, tenantId, resource }, shown) => {
    const { lastOfBatch, batch, rest, live, isLive } = statements(resource)
    const seen = ridSet(shown)
    const absent: AbsentRecord[] = []
    let after = leastKey(recordTables[resource])
    for (;;) {
      const last = lastOfBatch.get(tenantId, after)
      const rids = last === undefined ? rest.all(tenantId, after) : batch.all(tenantId, after, last)
      const unseen = rids.filter((rid) => !seen.has(rid) && isLive.get(rid) !== undefined)
      absent.push(...removals.absent(tenantId, resource, unseen, 1))
      if (last === undefined) break
      after = last
      await yieldToEventLoop()
    }
    const quarantined = removals.absentQuarantined(tenantId, resource, id)
    absent.push(...quarantined.absent)
    return {
      live: (live.get(tenantId) ?? 0) + quarantined.live,
      absent: absent.sort((a, b) => a.rid - b.rid),
    }
  }
}

interface Row {
  readonly rid: number
  readonly updated: 0 | 1
}

/** A server that returns less than the full sync did ignores the filter, or could not complete the answer. */
export function leftOut({ raw }: Database) {
  const batchOf = memoize((resource: string) => {
    const record = recordTables[oneOf(resourceNames, resource)]
    const { table, key, updatedAfter } = record
    if (updatedAfter === undefined) throw new TypeError(`${resource} does not take updatedAfter`)
    const [updated, created] = [updatedAfter.updated, updatedAfter.created].map((date) => columnOf(record, `${date}Ms`))
    return raw.prepare<[number, number, number, string], Row>(
      `select rid, case when ${updated} is null then 0 else 1 end as updated from "${getTableName(table)}" r
       where tenant_id = ? and removed_at is null and coalesce(${updated}, ${created}) >= ? and rid > ?
         and not exists (select 1 from quarantine q
           where q.tenant_id = r.tenant_id and q.resource = ? and q.key = cast(r.${columnOf(record, key)} as text))
       order by rid limit ${batchSize}`,
    )
  })
  const shownBefore = raw.prepare<[number, number], Buffer>(
    'select rids from full_sync_pages where full_sync_id = ? and page >= ?',
  )
  const shownSince = raw.prepare<[number, number], Buffer>(
    'select rids from full_sync_pages where full_sync_id = ? and page < ?',
  )

  return async (
    fullSync: { readonly id: number; readonly tenantId: number; readonly resource: string },
    before: number,
    since: number,
  ): Promise<LeftOut> => {
    const earlier = ridSet(shownBefore.pluck().all(fullSync.id, before))
    const later = ridSet(shownSince.pluck().all(fullSync.id, before))
    const updated = { expected: 0, leftOut: 0 }
    const neverUpdated = { expected: 0, leftOut: 0 }
    for (let after = 0; ; ) {
      const rows = batchOf(fullSync.resource).all(fullSync.tenantId, since, after, fullSync.resource)
      for (const row of rows) {
        if (!earlier.has(row.rid)) continue
        const tally = row.updated === 1 ? updated : neverUpdated
        tally.expected++
        if (!later.has(row.rid)) tally.leftOut++
      }
      if (rows.length < batchSize) return { updated, neverUpdated }
      after = rows.at(-1)?.rid ?? after
      await yieldToEventLoop()
    }
  }
}
