import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { Absence, AbsentRecord, LeftOut } from '../port.ts'
import { oneOf } from '../records/record-codec.ts'
import { liveCount } from '../records/record-counts.ts'
import { columnOf, leastKey, recordTables } from '../records/record-tables.ts'
import type { Removals } from '../records/removal-store.ts'
import { type RidSet, ridSet } from '../records/rid-set.ts'

const batchSize = 10_000

type Key = string | number

interface FullSync {
  readonly id: number
  readonly tenantId: number
  readonly resource: ResourceName
}

function statementsOf(database: Database, resource: ResourceName) {
  const record = recordTables[resource]
  const name = `"${getTableName(record.table)}"`
  const column = columnOf(record, record.key)
  return {
    // In key order, so that only the index on the key is read, not the records.
    lastOfBatch: database.prepareValues<[number, Key], Key>(
      `select ${column} from ${name} where tenant_id = ? and ${column} > ? order by ${column} limit 1 offset ${batchSize - 1}`,
    ),
    batch: database.prepareValues<[number, Key, Key], number>(
      `select rid from ${name} where tenant_id = ? and ${column} > ? and ${column} <= ?`,
    ),
    rest: database.prepareValues<[number, Key], number>(
      `select rid from ${name} where tenant_id = ? and ${column} > ?`,
    ),
    live: database.prepareValues<[number], number>(liveCount(record)),
    isLive: database.prepare<[number]>(`select 1 from ${name} where rid = ? and removed_at is null`),
  }
}

/** Live and quarantined records that a full sync did not return; batches keep the event loop free. */
export function absences(
  database: Database,
  removals: Removals,
): (fullSync: FullSync, shown: readonly Buffer[]) => Promise<Absence> {
  const statements = memoize((resource: ResourceName) => statementsOf(database, resource))

  function* batchAfter({ tenantId, resource }: FullSync, after: Key, seen: RidSet) {
    const { lastOfBatch, batch, rest, isLive } = statements(resource)
    const last = yield* lastOfBatch.get(tenantId, after)
    const rids = last === undefined ? yield* rest.all(tenantId, after) : yield* batch.all(tenantId, after, last)
    const unseen: number[] = []
    for (const rid of rids) {
      if (!seen.has(rid) && (yield* isLive.get(rid)) !== undefined) unseen.push(rid)
    }
    return { last, absent: yield* removals.absent(tenantId, resource, unseen, 1) }
  }

  return async (fullSync, shown) => {
    const { id, tenantId, resource } = fullSync
    const seen = ridSet(shown)
    const absent: AbsentRecord[] = []
    const read = (after: Key) => database.read(() => batchAfter(fullSync, after, seen))
    for (let after: Key | undefined = leastKey(recordTables[resource]); after !== undefined; ) {
      const batch = await read(after)
      absent.push(...batch.absent)
      after = batch.last
      if (after !== undefined) await yieldToEventLoop()
    }
    return database.read(function* () {
      const quarantined = yield* removals.absentQuarantined(tenantId, resource, id)
      absent.push(...quarantined.absent)
      return {
        live: ((yield* statements(resource).live.get(tenantId)) ?? 0) + quarantined.live,
        absent: absent.sort((a, b) => a.rid - b.rid),
      }
    })
  }
}

interface Row {
  readonly rid: number
  readonly updated: 0 | 1
}

/** A server that returns less than the full sync did ignores the filter, or could not complete the answer. */
export function leftOut(database: Database) {
  const batchOf = memoize((resource: string) => {
    const record = recordTables[oneOf(resourceNames, resource)]
    const { table, key, updatedAfter } = record
    if (updatedAfter === undefined) throw new TypeError(`${resource} does not take updatedAfter`)
    const [updated, created] = [updatedAfter.updated, updatedAfter.created].map((date) => columnOf(record, `${date}Ms`))
    return database.prepare<[number, number, number, string], Row>(
      `select rid, case when ${updated} is null then 0 else 1 end as updated from "${getTableName(table)}" r
       where tenant_id = ? and removed_at is null and coalesce(${updated}, ${created}) >= ? and rid > ?
         and not exists (select 1 from quarantine q
           where q.tenant_id = r.tenant_id and q.resource = ? and q.key = cast(r.${columnOf(record, key)} as text))
       order by rid limit ${batchSize}`,
    )
  })
  const shownBefore = database.prepareValues<[number, number], Buffer>(
    'select rids from full_sync_pages where full_sync_id = ? and page >= ?',
  )
  const shownSince = database.prepareValues<[number, number], Buffer>(
    'select rids from full_sync_pages where full_sync_id = ? and page < ?',
  )

  return async (
    fullSync: { readonly id: number; readonly tenantId: number; readonly resource: string },
    before: number,
    since: number,
  ): Promise<LeftOut> => {
    const [earlier, later] = await database.read(function* () {
      return [
        ridSet(yield* shownBefore.all(fullSync.id, before)),
        ridSet(yield* shownSince.all(fullSync.id, before)),
      ] as const
    })
    const updated = { expected: 0, leftOut: 0 }
    const neverUpdated = { expected: 0, leftOut: 0 }
    for (let after = 0; ; ) {
      const from = after
      const rows = await database.read(() =>
        batchOf(fullSync.resource).all(fullSync.tenantId, since, from, fullSync.resource),
      )
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
