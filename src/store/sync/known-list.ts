import type { Database, Operations } from '../database.ts'
import type { Incoming, ListCommit, SyncStore } from '../port.ts'
import type { QuarantineStore } from '../records/quarantine-store.ts'
import type { RecordWriter } from '../records/record-writer.ts'
import type { Removals } from '../records/removal-store.ts'
import type { Steps } from '../steps.ts'
import { keyOfRecord } from './page-items.ts'
import { noCounts } from './page-rows.ts'
import { completion, type RunEnds, syncStateWriter } from './sync-states.ts'

export interface KnownListParts {
  readonly writer: (resource: ListCommit['resource']) => RecordWriter
  readonly quarantine: QuarantineStore
  readonly removals: Removals
  readonly ends: RunEnds
}

type Good = Incoming & { readonly ok: true }

/** Confirms a complete list that equals the mirror, as usual, and ends its run in the same transaction. */
export function knownListStore(database: Database, parts: KnownListParts): Operations<Pick<SyncStore, 'confirmList'>> {
  const { writer, quarantine, removals, ends } = parts
  const putState = syncStateWriter(database)
  const unsettled = database.prepare<[object]>(
    `select 1 from holds where tenant_id = @tenantId and resource = @resource
     union all select 1 from full_syncs where tenant_id = @tenantId and resource = @resource
     union all select 1 from sync_states where tenant_id = @tenantId and resource = @resource and empty_accepted > 0`,
  )

  /** True without hold, quarantined record, open full sync or accepted removal, which all wait for a complete list. */
  function* isSettled({ tenantId, resource }: ListCommit): Steps<boolean> {
    if (yield* quarantine.containsAny(tenantId, writer(resource).table)) return false
    if (yield* removals.anyAccepted(tenantId, resource)) return false
    return (yield* unsettled.get({ tenantId, resource })) === undefined
  }

  function* equalsMirror({ tenantId, resource, items }: ListCommit): Steps<boolean> {
    const { table, find, holds } = writer(resource)
    const good = items.filter((item): item is Good => item.ok)
    if (good.length === 0 || good.length < items.length) return false
    const keys = good.map(({ record }) => keyOfRecord(record, table))
    const known = yield* find(tenantId, keys)
    // All are known and distinct, and as many as are live, so none is absent.
    if (known.size < good.length) return false
    if ((yield* removals.live(tenantId, resource)).length !== good.length) return false
    return good.every(({ record, extra }, i) => {
      const key = keys[i] ?? 0
      return holds({ key, record, extra, known: known.get(key) })
    })
  }

  return {
    confirmList: (list) =>
      database.write('nothing', function* () {
        if (!(yield* isSettled(list)) || !(yield* equalsMirror(list))) return null
        const counts = { ...noCounts, unchanged: list.items.length }
        yield* putState(list.tenantId, list.resource, completion(list.whole, list.requestId))
        yield* ends.close({ ...list.end, counts })
        return counts
      }),
  }
}
