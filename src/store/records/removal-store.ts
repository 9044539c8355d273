import { getTableName } from 'drizzle-orm'
import { dayMs } from '../../model/durations.ts'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database, Operations } from '../database.ts'
import type { ChangeLog } from '../history/change-log.ts'
import type { Absence, AbsentRecord, BudgetQuery, RemovalBudget, SyncStore } from '../port.ts'
import { askEach, type Step, type Steps } from '../steps.ts'
import { type QuarantineStore, quarantineRid } from './quarantine-store.ts'
import { liveCount } from './record-counts.ts'
import { columnOf, recordTables } from './record-tables.ts'
import { ridSet } from './rid-set.ts'

/** Removes records from the live set. Call inside a transaction. */
export interface Removals {
  liveWithout(tenantId: number, resource: ResourceName, shown: Buffer): Steps<readonly number[]>
  live(tenantId: number, resource: ResourceName): Steps<Uint32Array>
  /** Live records, and quarantined ones without a live version (negative ids). */
  removable(tenantId: number, resource: ResourceName): Steps<readonly number[]>
  /** Keys by id, of quarantined records without a live version. */
  quarantinedKeys(tenantId: number, resource: ResourceName): Steps<ReadonlyMap<number, string>>
  absentQuarantined(tenantId: number, resource: ResourceName, fullSyncId: number): Steps<Absence>
  /** Returns how many were live. `serverTime` of the full sync: for the shrink guard; undefined = not counted. */
  tombstone(
    tenantId: number,
    resource: ResourceName,
    rids: readonly number[],
    by: { readonly at: number; readonly requestId: string | null; readonly serverTime?: number },
  ): Steps<number>
  countAbsence(resource: ResourceName, rids: readonly number[]): Steps<void>
  absent(
    tenantId: number,
    resource: ResourceName,
    rids: readonly number[],
    fullSyncsMore: number,
  ): Steps<readonly AbsentRecord[]>
  anyAccepted(tenantId: number, resource: ResourceName): Steps<boolean>
  /** Input of `withdraw`. */
  returnable(tenantId: number, resource: ResourceName): Step<Returnable | undefined>
  /** Withdraws accepted and recent removals of records that are returned again, of quarantined ones by key. */
  withdraw(
    tenantId: number,
    resource: ResourceName,
    returnable: Step<Returnable | undefined>,
    returned: { readonly rids: readonly number[]; readonly keys: () => readonly (string | number)[] },
  ): Steps<void>
  accept(tenantId: number, resource: ResourceName, rids: Iterable<number>): Steps<void>
  markMissing(resource: ResourceName, rids: readonly number[], at: number): Steps<void>
  forgetRecent(tenantId: number): Step<void>
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

export function removals(database: Database, log: ChangeLog, quarantine: QuarantineStore): Removals {
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
    *live(tenantId, resource) {
      return Uint32Array.from(yield* statements(resource).live.all(tenantId)).sort()
    },
    *liveWithout(tenantId, resource, shown) {
      const seen = ridSet([shown])
      return [...(yield* parts.live(tenantId, resource))].filter((rid) => !seen.has(rid))
    },
    *removable(tenantId, resource) {
      const quarantined = yield* quarantine.withoutLive(tenantId, recordTables[resource])
      return [...(yield* parts.live(tenantId, resource)), ...quarantined.map(({ rid }) => rid)]
    },
    *quarantinedKeys(tenantId, resource) {
      const all = yield* quarantine.withoutLive(tenantId, recordTables[resource])
      return new Map(all.map(({ rid, key }) => [rid, key]))
    },
    *absentQuarantined(tenantId, resource, fullSyncId) {
      const all = yield* quarantine.withoutLive(tenantId, recordTables[resource])
      const absent = all.filter((one) => one.fullSyncId !== fullSyncId)
      const accepted = yield* askEach(absent, ({ rid }) => isAccepted.get(tenantId, resource, rid))
      const more = absent.map(({ rid, key, fullSyncs }, i) => {
        return { rid, key, fullSyncs: fullSyncs + 1, accepted: accepted[i] !== undefined }
      })
      return { live: all.length, absent: more }
    },
    *tombstone(tenantId, resource, rids, { at, requestId, serverTime }) {
      const { tombstone } = statements(resource)
      const table = recordTables[resource]
      const keys = new Map<number, Key>(
        rids.some((rid) => rid < 0) ? yield* parts.quarantinedKeys(tenantId, resource) : [],
      )
      const mirrored = rids.filter((rid) => rid > 0)
      for (const [i, key] of (yield* askEach(mirrored, (rid) => tombstone.get(at, rid))).entries())
        if (key !== undefined) keys.set(mirrored[i] ?? 0, key)
      const gone = rids.filter((rid) => keys.has(rid))
      const accepted = yield* askEach(gone, (rid) => takeAccepted.get(tenantId, resource, rid))
      for (const [i, rid] of gone.entries()) {
        const key = keys.get(rid) ?? ''
        if (rid > 0) yield* log.insert.run(...log.noted(table, key, 'removed', { tenantId, at, requestId }))
        yield* quarantine.drop(tenantId, table, String(key))
        if (accepted[i] === undefined && serverTime !== undefined)
          yield* recent.add(tenantId, resource, rid, at, serverTime)
      }
      return gone.filter((rid) => rid > 0).length
    },
    *countAbsence(resource, rids) {
      for (const rid of rids) yield* statements(resource).countAbsence.run(rid)
    },
    *absent(tenantId, resource, rids, fullSyncsMore) {
      const { find } = statements(resource)
      const accepted = yield* askEach(rids, (rid) => isAccepted.get(tenantId, resource, rid))
      const rows = yield* askEach(rids, (rid) => find.get(rid))
      return rids.flatMap((rid, i): AbsentRecord[] => {
        const row = rows[i]
        if (row === undefined) return []
        const { key, fullSyncs } = row
        return [{ rid, key: String(key), fullSyncs: fullSyncs + fullSyncsMore, accepted: accepted[i] !== undefined }]
      })
    },
    *anyAccepted(tenantId, resource) {
      return (yield* anyAccepted.get(tenantId, resource)) !== undefined
    },
    returnable: (tenantId, resource) => anyReturnable.get({ tenantId, resource }),
    *withdraw(tenantId, resource, returnable, { rids, keys }) {
      const { accepted = 0, removed = 0 } = (yield* returnable) ?? {}
      if (accepted + removed === 0) return
      for (const rid of [...rids, ...keys().map((key) => quarantineRid(String(key)))]) {
        if (accepted === 1) yield* dropAccepted.run(tenantId, resource, rid)
        if (removed === 1) yield* recent.drop(tenantId, resource, rid)
      }
    },
    *accept(tenantId, resource, rids) {
      for (const rid of rids) yield* insertAccepted.run(tenantId, resource, rid)
    },
    *markMissing(resource, rids, at) {
      for (const rid of rids) yield* statements(resource).markMissing.run(at, rid)
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
  const withdraw = database.prepare<[number]>('delete from accepted_removals where tenant_id = ?')
  const live = memoize((resource: ResourceName) =>
    database.prepareValues<[number], number>(liveCount(recordTables[resource])),
  )
  return {
    markMissing: (tenantId, resource, rids, at) =>
      rids.length === 0
        ? database.run(() => {})
        : database.write({ tenantId, resource }, () => parts.markMissing(resource, rids, at)),
    remove: (tenantId, resource, rids, at, requestId, serverTime) =>
      database.write({ tenantId, resource }, () =>
        parts.tombstone(tenantId, resource, rids, {
          at,
          requestId,
          ...(serverTime === undefined ? {} : { serverTime }),
        }),
      ),
    removalBudget: (query) => database.write('nothing', () => recent.budget(query)),
    withdrawAcceptedRemovals: (tenantId) => database.write('nothing', () => withdraw.run(tenantId)),
    liveCount: (tenantId, resource) =>
      database.read(function* () {
        return (yield* live(resource).get(tenantId)) ?? 0
      }),
  }
}

/** Recent removals, which the shrink guard adds to those that are due. Call inside a transaction. */
interface RecentRemovals {
  add(tenantId: number, resource: ResourceName, rid: number, removedAt: number, serverTime: number): Step<void>
  drop(tenantId: number, resource: ResourceName, rid: number): Step<void>
  forget(tenantId: number): Step<void>
  budget(query: BudgetQuery): Steps<RemovalBudget>
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
    `select count(*) from changes where at > @createdSince and at <= @createdBy and kind = 'created' and ${ofResource}`,
  )
  return {
    add: (...row) => insert.run(...row),
    drop: (tenantId, resource, rid) => remove.run(tenantId, resource, rid),
    forget: (tenantId) => forget.run(tenantId),
    *budget({ tenantId, resource, at, steadyAt, unsetAt, serverTime, confirmed, heldSince = null }) {
      // Exclude records created during the hold or in the 24 hours before it, and those created before the local clock
      // was set back: they would make the removals look few.
      const createdSince = Math.min(at, unsetAt, heldSince ?? at) - dayMs
      const createdBy = confirmed ? at : Number.MAX_SAFE_INTEGER
      const ageMs = Math.max(dayMs, at - (heldSince ?? at))
      const since = steadyAt - ageMs
      const bound = { tenantId, resource, createdSince, createdBy, since, serverSince: serverTime - ageMs }
      if ((yield* find.get(tenantId, resource)) !== undefined) {
        yield* dropOld.run(bound)
        yield* bringBack.run({ tenantId, resource, at, serverTime, confirmed: Number(confirmed) })
      }
      return { removed: (yield* removed.get(bound)) ?? 0, created: (yield* created.get(bound)) ?? 0 }
    },
  }
}
