import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { LeftOut } from '../port.ts'
import { columnOf } from '../records/record-table.ts'
import { recordTables } from '../records/record-tables.ts'
import { resourceOf } from '../records/resource-of.ts'
import { ridSet } from '../records/rid-set.ts'
import type { Database } from '../sqlite/database.ts'

const batchSize = 10_000

interface Row {
  readonly rid: number
  readonly updated: 0 | 1
}

/** A server that returns less than the full sync did ignores the filter, or could not complete the answer. */
export function leftOut({ raw }: Database) {
  const batchOf = memoize((resource: string) => {
    const record = recordTables[resourceOf(resource)]
    const { table, key, updatedAfter } = record
    if (updatedAfter === undefined) throw new TypeError(`${resource} does not take updatedAfter`)
    const [updated, created] = [updatedAfter.updated, updatedAfter.created].map((date) => columnOf(record, `${date}Ms`))
    return raw.prepare<[number, number, number, string], Row>(
      `select rid, ${updated} is not null as updated from "${getTableName(table)}" r
       where tenant_id = ? and removed_at is null and coalesce(${updated}, ${created}) >= ? and rid > ?
         and not exists (select 1 from quarantine q
           where q.tenant_id = r.tenant_id and q.resource = ? and q.key = r.${columnOf(record, key)})
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
