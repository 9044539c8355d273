import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import type { Incoming, ListCommit, SyncStore } from '../port.ts'
import type { QuarantineStore } from '../records/quarantine-store.ts'
import type { RecordWriter } from '../records/record-writer.ts'
import type { Removals } from '../records/removal-store.ts'
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
export function knownListStore(database: Database, parts: KnownListParts): Pick<SyncStore, 'confirmList'> {
  const { writer, quarantine, removals, ends } = parts
  const putState = syncStateWriter(database)
  const unsettled = database.prepare<[object]>(
    `select 1 from holds where tenant_id = @tenantId and resource = @resource
     union all select 1 from full_syncs where tenant_id = @tenantId and resource = @resource
     union all select 1 from sync_states where tenant_id = @tenantId and resource = @resource and empty_accepted > 0`,
  )

  /** True without hold, quarantined record, open full sync or accepted removal, which all wait for a complete list. */
  async function isSettled(tx: Sql, { tenantId, resource }: ListCommit): Promise<boolean> {
    if (await quarantine.containsAny(tx, tenantId, writer(resource).table)) return false
    if (await removals.anyAccepted(tx, tenantId, resource)) return false
    return (await unsettled.get(tx, { tenantId, resource })) === undefined
  }

  async function equalsMirror(tx: Sql, { tenantId, resource, items }: ListCommit): Promise<boolean> {
    const { table, find, holds } = writer(resource)
    const good = items.filter((item): item is Good => item.ok)
    if (good.length === 0 || good.length < items.length) return false
    const keys = good.map(({ record }) => keyOfRecord(record, table))
    const known = await find(tx, tenantId, keys)
    // All are known and distinct, and as many as are live, so none is absent.
    if (known.size < good.length) return false
    if ((await removals.live(tx, tenantId, resource)).length !== good.length) return false
    return good.every(({ record, extra }, i) => {
      const key = keys[i] ?? 0
      return holds({ key, record, extra, known: known.get(key) })
    })
  }

  return {
    confirmList: (list) =>
      database.write('nothing', async (tx) => {
        if (!(await isSettled(tx, list)) || !(await equalsMirror(tx, list))) return null
        const counts = { ...noCounts, unchanged: list.items.length }
        await putState(tx, list.tenantId, list.resource, completion(list.whole, list.requestId))
        await ends.close(tx, { ...list.end, counts })
        return counts
      }),
  }
}
