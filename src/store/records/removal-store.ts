import { getTableName } from 'drizzle-orm'
import { dayMs } from '../../model/durations.ts'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { type AppendEvents, type NewEvent, recordEvent, recordSubjects } from '../event-store.ts'
import type { Absence, AbsentRecord, BudgetQuery, RemovalBudget, SyncStore } from '../port.ts'
import { eachOf } from './each-of.ts'
import { type QuarantineStore, quarantineRid } from './quarantine-store.ts'
import { liveCount } from './record-counts.ts'
import { columnOf, recordTables } from './record-tables.ts'
import { ridSet } from './rid-set.ts'

/** Removes records from the live set. Call inside a transaction. */
export interface Removals {
  liveWithout(tx: Sql, tenantId: number, resource: ResourceName, shown: Buffer): Promise<readonly number[]>
  live(tx: Sql, tenantId: number, resource: ResourceName): Promise<Uint32Array>
  /** Live records, and quarantined ones without a live version (negative ids). */
  removable(tx: Sql, tenantId: number, resource: ResourceName): Promise<readonly number[]>
  /** Keys by id, of quarantined records without a live version. */
  quarantinedKeys(tx: Sql, tenantId: number, resource: ResourceName): Promise<ReadonlyMap<number, string>>
  absentQuarantined(tx: Sql, tenantId: number, resource: ResourceName, fullSyncId: number): Promise<Absence>
  /** Returns how many were live. `serverTime` of the full sync: for the shrink guard; undefined = not counted. */
  tombstone(
    tx: Sql,
    tenantId: number,
    resource: ResourceName,
    rids: readonly number[],
    by: { readonly at: number; readonly requestId: string | null; readonly serverTime?: number },
  ): Promise<number>
  countAbsence(tx: Sql, resource: ResourceName, rids: readonly number[]): Promise<void>
  absent(
    tx: Sql,
    tenantId: number,
    resource: ResourceName,
    rids: readonly number[],
    fullSyncsMore: number,
  ): Promise<readonly AbsentRecord[]>
  anyAccepted(tx: Sql, tenantId: number, resource: ResourceName): Promise<boolean>
  /** Withdraws accepted and recent removals of records that are returned again, of quarantined ones by key. */
  withdraw(
    tx: Sql,
    tenantId: number,
    resource: ResourceName,
    returned: { readonly rids: readonly number[]; readonly keys: readonly (string | number)[] },
  ): Promise<void>
  accept(tx: Sql, tenantId: number, resource: ResourceName, rids: Iterable<number>): Promise<void>
  markMissing(tx: Sql, resource: ResourceName, rids: readonly number[], at: number): Promise<void>
  forgetRecent(tx: Sql, tenantId: number): Promise<void>
}

/** 1 if there are accepted or recent removals that could be withdrawn, else 0. */
interface Returnable {
  readonly accepted: number
  readonly removed: number
}

type Key = string | number

function statementsOf(database: Database, resource: ResourceName) {
  const record = recordTables[resource]
  const name = `"${getTableName(record.table)}"`
  const key = columnOf(record, record.key)
  return {
    live: database.prepareValues<[number], number>(
      `select rid from ${name} where tenant_id = ? and removed_at is null`,
    ),
    tombstone: database.prepareValues<[number, number], Key>(
      `update ${name} set removed_at = ?, missing_since = null, absent_full_syncs = 0
       where rid = ? and removed_at is null returning ${key}`,
    ),
    countAbsence: database.prepare<[number]>(
      `update ${name} set absent_full_syncs = absent_full_syncs + 1 where rid = ?`,
    ),
    find: database.prepare<[number], { key: Key; fullSyncs: number }>(
      `select ${key} as key, absent_full_syncs as "fullSyncs" from ${name} where rid = ?`,
    ),
    markMissing: database.prepare<[number, number]>(
      `update ${name} set missing_since = coalesce(missing_since, ?) where rid = ?`,
    ),
  }
}

type OfRecord = readonly [tenantId: number, resource: string, rid: number]

const ofResource = 'tenant_id = @tenantId and resource = @resource'

export function removals(database: Database, append: AppendEvents, quarantine: QuarantineStore): Removals {
  const recent = recentRemovals(database)
  const isAccepted = database.prepare<OfRecord>(
    'select 1 from accepted_removals where tenant_id = ? and resource = ? and rid = ?',
  )
  const anyAccepted = database.prepare<[number, string]>(
    'select 1 from accepted_removals where tenant_id = ? and resource = ? limit 1',
  )
  const anyReturnable = database.prepare<[object], Returnable>(
    `select exists (select 1 from accepted_removals where ${ofResource}) as accepted,
       exists (select 1 from recent_removals where ${ofResource}) as removed`,
  )
  const insertAccepted = database.prepare<OfRecord>(
    'insert into accepted_removals (tenant_id, resource, rid) values (?, ?, ?) on conflict do nothing',
  )
  const ofRecord = 'from accepted_removals where tenant_id = ? and resource = ? and rid = ?'
  const dropAccepted = database.prepare<OfRecord>(`delete ${ofRecord}`)
  const takeAccepted = database.prepare<OfRecord>(`delete ${ofRecord} returning rid`)
  const statements = memoize((resource: ResourceName) => statementsOf(database, resource))

  const parts: Removals = {
    async live(tx, tenantId, resource) {
      return Uint32Array.from(await statements(resource).live.all(tx, tenantId)).sort()
    },
    async liveWithout(tx, tenantId, resource, shown) {
      const seen = ridSet([shown])
      return [...(await parts.live(tx, tenantId, resource))].filter((rid) => !seen.has(rid))
    },
    async removable(tx, tenantId, resource) {
      const quarantined = await quarantine.withoutLive(tx, tenantId, recordTables[resource])
      return [...(await parts.live(tx, tenantId, resource)), ...quarantined.map(({ rid }) => rid)]
    },
    async quarantinedKeys(tx, tenantId, resource) {
      const all = await quarantine.withoutLive(tx, tenantId, recordTables[resource])
      return new Map(all.map(({ rid, key }) => [rid, key]))
    },
    async absentQuarantined(tx, tenantId, resource, fullSyncId) {
      const all = await quarantine.withoutLive(tx, tenantId, recordTables[resource])
      const absent = all.filter((one) => one.fullSyncId !== fullSyncId)
      const accepted = await eachOf(absent, ({ rid }) => isAccepted.get(tx, tenantId, resource, rid))
      const more = absent.map(({ rid, key, fullSyncs }, i) => {
        return { rid, key, fullSyncs: fullSyncs + 1, accepted: accepted[i] !== undefined }
      })
      return { live: all.length, absent: more }
    },
    async tombstone(tx, tenantId, resource, rids, { at, requestId, serverTime }) {
      const { tombstone } = statements(resource)
      const table = recordTables[resource]
      const keys = new Map<number, Key>(
        rids.some((rid) => rid < 0) ? await parts.quarantinedKeys(tx, tenantId, resource) : [],
      )
      const mirrored = rids.filter((rid) => rid > 0)
      for (const [i, key] of (await eachOf(mirrored, (rid) => tombstone.get(tx, at, rid))).entries())
        if (key !== undefined) keys.set(mirrored[i] ?? 0, key)
      const gone = rids.filter((rid) => keys.has(rid))
      const accepted = await eachOf(gone, (rid) => takeAccepted.get(tx, tenantId, resource, rid))
      const events: NewEvent[] = []
      for (const [i, rid] of gone.entries()) {
        const key = keys.get(rid) ?? ''
        const stamp = { at, requestId, serverAt: serverTime ?? null }
        if (rid > 0) events.push(recordEvent({ kind: 'record.removed', resource, key }, stamp))
        await quarantine.drop(tx, tenantId, table, String(key))
        if (accepted[i] === undefined && serverTime !== undefined)
          await recent.add(tx, tenantId, resource, rid, at, serverTime)
      }
      await append(tx, tenantId, events)
      return gone.filter((rid) => rid > 0).length
    },
    async countAbsence(tx, resource, rids) {
      for (const rid of rids) await statements(resource).countAbsence.run(tx, rid)
    },
    async absent(tx, tenantId, resource, rids, fullSyncsMore) {
      const { find } = statements(resource)
      const accepted = await eachOf(rids, (rid) => isAccepted.get(tx, tenantId, resource, rid))
      const rows = await eachOf(rids, (rid) => find.get(tx, rid))
      return rids.flatMap((rid, i): AbsentRecord[] => {
        const row = rows[i]
        if (row === undefined) return []
        const { key, fullSyncs } = row
        return [{ rid, key: String(key), fullSyncs: fullSyncs + fullSyncsMore, accepted: accepted[i] !== undefined }]
      })
    },
    async anyAccepted(tx, tenantId, resource) {
      return (await anyAccepted.get(tx, tenantId, resource)) !== undefined
    },
    async withdraw(tx, tenantId, resource, { rids, keys }) {
      const { accepted = 0, removed = 0 } = (await anyReturnable.get(tx, { tenantId, resource })) ?? {}
      if (accepted + removed === 0) return
      for (const rid of [...rids, ...keys.map((key) => quarantineRid(String(key)))]) {
        if (accepted === 1) await dropAccepted.run(tx, tenantId, resource, rid)
        if (removed === 1) await recent.drop(tx, tenantId, resource, rid)
      }
    },
    async accept(tx, tenantId, resource, rids) {
      for (const rid of rids) await insertAccepted.run(tx, tenantId, resource, rid)
    },
    async markMissing(tx, resource, rids, at) {
      for (const rid of rids) await statements(resource).markMissing.run(tx, at, rid)
    },
    forgetRecent: (tx, tenantId) => recent.forget(tx, tenantId),
  }
  return parts
}

export function removalStore(
  database: Database,
  parts: Removals,
): Pick<SyncStore, 'markMissing' | 'remove' | 'liveCount' | 'removalBudget' | 'withdrawAcceptedRemovals'> {
  const recent = recentRemovals(database)
  const withdraw = database.prepare<[number]>('delete from accepted_removals where tenant_id = ?')
  const live = memoize((resource: ResourceName) =>
    database.prepareValues<[number], number>(liveCount(recordTables[resource])),
  )
  return {
    async markMissing(tenantId, resource, rids, at) {
      if (rids.length > 0)
        await database.write({ tenantId, resource }, (tx) => parts.markMissing(tx, resource, rids, at))
    },
    remove: (tenantId, resource, rids, at, requestId, serverTime) =>
      database.write({ tenantId, resource }, (tx) =>
        parts.tombstone(tx, tenantId, resource, rids, {
          at,
          requestId,
          ...(serverTime === undefined ? {} : { serverTime }),
        }),
      ),
    removalBudget: (query) => database.write('nothing', (tx) => recent.budget(tx, query)),
    withdrawAcceptedRemovals: (tenantId) => database.write('nothing', (tx) => withdraw.run(tx, tenantId)),
    liveCount: (tenantId, resource) =>
      database.read(async (tx) => {
        return (await live(resource).get(tx, tenantId)) ?? 0
      }),
  }
}

/** Recent removals, which the shrink guard adds to those that are due. Call inside a transaction. */
interface RecentRemovals {
  add(
    tx: Sql,
    tenantId: number,
    resource: ResourceName,
    rid: number,
    removedAt: number,
    serverTime: number,
  ): Promise<void>
  drop(tx: Sql, tenantId: number, resource: ResourceName, rid: number): Promise<void>
  forget(tx: Sql, tenantId: number): Promise<void>
  budget(tx: Sql, query: BudgetQuery): Promise<RemovalBudget>
}

function recentRemovals(database: Database): RecentRemovals {
  const insert = database.prepare<[...OfRecord, removedAt: number, serverTime: number]>(
    `insert into recent_removals (tenant_id, resource, rid, removed_at, server_time) values (?, ?, ?, ?, ?)
     on conflict (tenant_id, resource, rid) do update set removed_at = excluded.removed_at, server_time = excluded.server_time`,
  )
  const find = database.prepare<[number, string]>(
    'select 1 from recent_removals where tenant_id = ? and resource = ? limit 1',
  )
  const remove = database.prepare<OfRecord>(
    'delete from recent_removals where tenant_id = ? and resource = ? and rid = ?',
  )
  const forget = database.prepare<[number]>('delete from recent_removals where tenant_id = ?')
  // A removal must be old by both clocks, because a jump forward of one clock must not end the 24 hours.
  const dropOld = database.prepare<[object]>(
    `delete from recent_removals where ${ofResource} and removed_at <= @since and server_time <= @serverSince`,
  )
  // A clock that was set back extends the 24 hours by at most 24 hours; then they run by both clocks again, because the
  // local clock may return to its earlier time. A server time that contradicts the local clock can only extend them.
  const bringBack = database.prepare<[object]>(
    `update recent_removals set removed_at = case when removed_at > @at then @at else removed_at end,
       server_time = case when removed_at <= @at and (server_time <= @serverTime or @confirmed = 0) then server_time
         when server_time < @serverTime or @confirmed = 1 then @serverTime else server_time end
     where ${ofResource}`,
  )
  const removed = database.prepareValues<[object], number>(`select count(*) from recent_removals where ${ofResource}`)
  const created = database.prepareValues<[object], number>(
    `select count(*) from events where tenant_id = @tenantId and kind = 'record.created' and subject between @first and @last
       and at > @createdSince and at <= @createdBy`,
  )
  return {
    add: (tx, ...row) => insert.run(tx, ...row),
    drop: (tx, tenantId, resource, rid) => remove.run(tx, tenantId, resource, rid),
    forget: (tx, tenantId) => forget.run(tx, tenantId),
    async budget(tx, { tenantId, resource, at, steadyAt, unsetAt, serverTime, confirmed, heldSince = null }) {
      // Exclude records created during the hold or in the 24 hours before it, and those created before the local clock
      // was set back: they would make the removals look few.
      const createdSince = Math.min(at, unsetAt, heldSince ?? at) - dayMs
      const createdBy = confirmed ? at : Number.MAX_SAFE_INTEGER
      const ageMs = Math.max(dayMs, at - (heldSince ?? at))
      const since = steadyAt - ageMs
      const [first, last] = recordSubjects(resource)
      const bound = { tenantId, resource, createdSince, createdBy, first, last, since, serverSince: serverTime - ageMs }
      if ((await find.get(tx, tenantId, resource)) !== undefined) {
        await dropOld.run(tx, bound)
        await bringBack.run(tx, { tenantId, resource, at, serverTime, confirmed: Number(confirmed) })
      }
      return { removed: (await removed.get(tx, bound)) ?? 0, created: (await created.get(tx, bound)) ?? 0 }
    },
  }
}
