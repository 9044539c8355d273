import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Absence, AbsentRecord } from '../port.ts'
import type { Database } from '../sqlite/database.ts'
import { liveCount } from './record-counts.ts'
import { leastKey } from './record-table.ts'
import { recordTables } from './record-tables.ts'
import type { Removals } from './removal-store.ts'
import { ridSet } from './rid-set.ts'

const batchSize = 10_000

function statementsOf(raw: Database['raw'], resource: ResourceName) {
  const { table, key } = recordTables[resource]
  const name = `"${getTableName(table)}"`
  const column = `"${getTableColumns(table)[key]?.name ?? key}"`
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
    live: raw.prepare<[number], number>(liveCount(recordTables[resource])).pluck(),
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
