import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import type { Absence, AbsentRecord, LeftOut } from '../port.ts'
import { eachOf } from '../records/each-of.ts'
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
    // In key order, so that only the index on the key is read.
    lastOfBatch: database.prepareValues<[number, Key], Key>(
      `select ${column} from ${name} where tenant_id = ? and ${column} > ? order by ${column} limit 1 offset ${batchSize - 1}`,
    ),
    batch: database.prepareValues<[number, Key, Key], number>(
      `select rid from ${name} where tenant_id = ? and ${column} > ? and ${column} <= ?`,
    ),
    rest: database.prepareValues<[number, Key], number>(
      `select rid from ${name} where tenant_id = ? and ${column} > ?`,
    ),
    highest: database.prepareValues<[], number | null>(`select max(rid) from ${name}`),
    // The plus prevents an index on the tenant, so that only records in the range are read.
    between: database.prepareValues<[number, number, number], number>(
      `select rid from ${name} where rid between ? and ? and +tenant_id = ? and removed_at is null`,
    ),
    live: database.prepareValues<[number], number>(liveCount(record)),
    isLive: database.prepare<[number]>(`select 1 from ${name} where rid = ? and removed_at is null`),
  }
}

/** Live and quarantined records that a full sync did not return; reads in batches to keep the event loop free. */
export function absences(
  database: Database,
  removals: Removals,
): (fullSync: FullSync, shown: readonly Buffer[]) => Promise<Absence> {
  const statements = memoize((resource: ResourceName) => statementsOf(database, resource))

  async function batchAfter(tx: Sql, { tenantId, resource }: FullSync, after: Key, seen: RidSet) {
    const { lastOfBatch, batch, rest, isLive } = statements(resource)
    const last = await lastOfBatch.get(tx, tenantId, after)
    const rids = last === undefined ? await rest.all(tx, tenantId, after) : await batch.all(tx, tenantId, after, last)
    const unseen = rids.filter((rid) => !seen.has(rid))
    const live = await eachOf(unseen, (rid) => isLive.get(tx, rid))
    const absent = unseen.filter((_, i) => live[i] !== undefined)
    return { last, absent: await removals.absent(tx, tenantId, resource, absent, 1) }
  }

  async function batchOf(tx: Sql, { tenantId, resource }: FullSync, gaps: ReturnType<RidSet['gaps']>) {
    const unseen: number[] = []
    for (const [from, to] of gaps) unseen.push(...(await statements(resource).between.all(tx, from, to, tenantId)))
    return await removals.absent(tx, tenantId, resource, unseen, 1)
  }

  async function absentByKey(fullSync: FullSync, seen: RidSet): Promise<AbsentRecord[]> {
    const absent: AbsentRecord[] = []
    const read = (after: Key) => database.read((tx) => batchAfter(tx, fullSync, after, seen))
    for (let after: Key | undefined = leastKey(recordTables[fullSync.resource]); after !== undefined; ) {
      const batch = await read(after)
      absent.push(...batch.absent)
      after = batch.last
      if (after !== undefined) await yieldToEventLoop()
    }
    return absent
  }

  async function absentById(fullSync: FullSync, seen: RidSet, highest: number): Promise<AbsentRecord[]> {
    const absent: AbsentRecord[] = []
    for (let first = 1; first <= highest; first += batchSize) {
      const gaps = seen.gaps(first, Math.min(highest, first + batchSize - 1))
      if (gaps.length === 0) continue
      absent.push(...(await database.read((tx) => batchOf(tx, fullSync, gaps))))
      await yieldToEventLoop()
    }
    return absent
  }

  return async (fullSync, shown) => {
    const { id, tenantId, resource } = fullSync
    const seen = ridSet(shown)
    const { highest, live } = await database.read(async (tx) => {
      const { highest, live } = statements(resource)
      return { highest: (await highest.get(tx)) ?? 0, live: (await live.get(tx, tenantId)) ?? 0 }
    })
    // Usually no record is absent, so that few ids remain; there are many if other tenants' records are in between.
    const fewIds = highest - seen.size() <= live / 4
    const absent = fewIds ? await absentById(fullSync, seen, highest) : await absentByKey(fullSync, seen)
    return database.read(async (tx) => {
      const quarantined = await removals.absentQuarantined(tx, tenantId, resource, id)
      absent.push(...quarantined.absent)
      return {
        live: ((await statements(resource).live.get(tx, tenantId)) ?? 0) + quarantined.live,
        absent: absent.sort((a, b) => a.rid - b.rid),
      }
    })
  }
}

interface Row {
  readonly rid: number
  readonly updated: 0 | 1
  readonly touched: number
}

/** Finds records that an answer to a request by time lacks: the server could not complete it, or ignored the filter. */
export function leftOut(database: Database) {
  const batchOf = memoize((resource: string) => {
    const record = recordTables[oneOf(resourceNames, resource)]
    const { table, key, updatedAfter } = record
    if (updatedAfter === undefined) throw new TypeError(`${resource} does not take updatedAfter`)
    const [updated, created] = [updatedAfter.updated, updatedAfter.created].map((date) => columnOf(record, `${date}Ms`))
    return database.prepare<[number, number, number, string], Row>(
      `select rid, case when ${updated} is null then 0 else 1 end as updated, coalesce(${updated}, ${created}) as touched
       from "${getTableName(table)}" r
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
    const [earlier, later] = await database.read(async (tx) => {
      return [
        ridSet(await shownBefore.all(tx, fullSync.id, before)),
        ridSet(await shownSince.all(tx, fullSync.id, before)),
      ] as const
    })
    const updated = { expected: 0, leftOut: 0, newest: null as number | null }
    const neverUpdated = { ...updated }
    for (let after = 0; ; ) {
      const from = after
      const rows = await database.read((tx) =>
        batchOf(fullSync.resource).all(tx, fullSync.tenantId, since, from, fullSync.resource),
      )
      for (const row of rows) {
        if (!earlier.has(row.rid)) continue
        const tally = row.updated === 1 ? updated : neverUpdated
        tally.expected++
        tally.newest = Math.max(tally.newest ?? row.touched, row.touched)
        if (!later.has(row.rid)) tally.leftOut++
      }
      if (rows.length < batchSize) return { updated, neverUpdated }
      after = rows.at(-1)?.rid ?? after
      await yieldToEventLoop()
    }
  }
}
