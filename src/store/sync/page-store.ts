import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import type { PageCommit, PageResult, SyncStore } from '../port.ts'
import { nextDetails, saveDetails } from '../records/details.ts'
import {
  comparisonOf,
  isKnownRow,
  isUnchanged,
  knownRows,
  type PageWritten,
  writePage,
} from '../records/record-page.ts'
import { recordShapes } from '../records/record-shape.ts'
import { anyAccepted, endQuarantine, isPresent, markMissing, removeRecords } from '../records/removals.ts'
import { packRids, ridSet } from '../records/rid-set.ts'
import { distinctItems } from '../records/same-id.ts'
import type { PassPages } from './full-sync-store.ts'
import { noCounts } from './page-rows.ts'
import { addLive, closeRun, completion, saveState } from './sync-states.ts'

const nothing: Omit<PageResult, 'admitted'> = { counts: noCounts, laterDates: {}, contradictory: [], detailDue: [] }

const noneSeen = { has: () => false }

type Part = Pick<SyncStore, 'commitPage' | 'confirmList' | 'knownKeys' | 'nextDetails' | 'saveDetails'>

export function pageStore(database: Database, passes: PassPages): Part {
  async function commit(sql: Sql, page: PageCommit): Promise<PageWritten | null> {
    const { tenantId, resource, fullSync, whole } = page
    const distinct = distinctItems(recordShapes[resource], page.items)
    const known = await knownRows(sql, database, page, [...distinct.items.keys()])
    if (page.admit !== undefined) {
      const since = await knownSince(sql, tenantId)
      if (!page.admit(comparisonOf(distinct, known, since))) return null
    }
    // After the pass, the feed returns what changed meanwhile: no contradiction.
    const seen = fullSync?.advance === undefined ? noneSeen : await passes.seen(sql, fullSync.id)
    const written = await writePage(sql, database, page, distinct, known, seen)
    await addLive(sql, tenantId, resource, written.live)
    if (fullSync !== undefined) {
      await passes.advance(sql, fullSync, {
        isEmpty: page.items.length === 0,
        notWhole: written.notWhole,
        at: page.at,
        rids: written.rids,
      })
    }
    const removed = whole === undefined ? 0 : await removeOthers(sql, page, written)
    await saveState(sql, tenantId, resource, {
      cursor: page.cursor,
      ...(whole && { ...completion(whole, page.requestId), firstCompleteAt: page.at }),
    })
    return { ...written, counts: { ...written.counts, removed } }
  }

  /** Removes the records that a list in one answer lacks. */
  async function removeOthers(sql: Sql, page: PageCommit, { rids, notWhole }: PageWritten): Promise<number> {
    const { tenantId, resource } = page
    const seen = ridSet([packRids(rids)])
    const present = await sql<number>(presentRids, [{ tenantId, resource }], 'values')
    const absent = present.filter((rid) => !seen.has(rid))
    // A record without a readable id may be one of the absent ones.
    if (notWhole) {
      await markMissing(sql, database, absent, page.at)
      return 0
    }
    await endQuarantine(sql, database, page, seen)
    return removeRecords(sql, database, { ...page, removedAt: page.whole?.serverTime ?? page.at }, absent)
  }

  async function knownSince(sql: Sql, tenantId: number): Promise<number> {
    const [since] = await sql<number | null>('select known_since from tenants where id = ?', [tenantId], 'values')
    return since ?? 0
  }

  return {
    async commitPage(page) {
      if (isIdle(page)) return { admitted: true, ...nothing }
      // A page that only moves the cursor changes no record.
      const change = page.items.length > 0 || page.whole !== undefined ? page : 'nothing'
      const written = await database.write(change, (sql) => commit(sql, page))
      if (written === null) return { admitted: false, ...nothing }
      const { counts, laterDates, contradicted, detailDue, rids } = written
      if (page.fullSync !== undefined) passes.add(page.fullSync.id, rids)
      return { admitted: true, counts, laterDates, contradictory: contradicted, detailDue }
    },
    confirmList: (list) =>
      database.write('nothing', async (sql) => {
        const { tenantId, resource, items, requestId, whole, end } = list
        if (!(await isEqualList(sql, database, list))) return null
        const counts = { ...noCounts, unchanged: items.length }
        await saveState(sql, tenantId, resource, completion(whole, requestId))
        await closeRun(sql, { ...end, counts })
        return counts
      }),
    knownKeys: (tenantId, resource, ids) =>
      database.read(async (sql) => {
        const keys = [...new Set(ids.map(recordShapes[resource].keyOf))]
        const rows = await knownRows(sql, database, { tenantId, resource }, keys)
        const since = await knownSince(sql, tenantId)
        return keys.filter((key) => isKnownRow(rows.get(key), since)).length
      }),
    nextDetails: (tenantId, resource, limit) =>
      database.write('nothing', (sql) => nextDetails(sql, { tenantId, resource }, limit)),
    saveDetails: (tenantId, resource, answers) =>
      database.write({ tenantId, resource }, (sql) => saveDetails(sql, database, { tenantId, resource }, answers)),
  }
}

const presentRids = `select rid from records where tenant_id = @tenantId and resource = @resource and ${isPresent}`

/** Something that waits for a complete list: a hold, an open full sync, an accepted emptiness, a quarantined record. */
const waiting = `select 1 from holds where tenant_id = @tenantId and resource = @resource
  union all select 1 from full_syncs where tenant_id = @tenantId and resource = @resource
  union all select 1 from sync_states where tenant_id = @tenantId and resource = @resource and empty_accepted > 0
  union all select 1 from records where tenant_id = @tenantId and resource = @resource and problem is not null`

/** True if the list equals the live records, and nothing waits for a complete list. */
async function isEqualList(
  sql: Sql,
  database: Database,
  { tenantId, resource, items }: Parameters<SyncStore['confirmList']>[0],
): Promise<boolean> {
  const of = { tenantId, resource }
  const shape = recordShapes[resource]
  const distinct = distinctItems(shape, items)
  if (items.length === 0 || distinct.items.size < items.length) return false
  if ((await sql(waiting, [of])).length > 0 || (await anyAccepted(sql, of))) return false
  const [live] = await sql<number>(
    'select live from sync_states where tenant_id = ? and resource = ?',
    [tenantId, resource],
    'values',
  )
  if (live !== items.length) return false
  const known = await knownRows(sql, database, of, [...distinct.items.keys()])
  return [...distinct.items].every(([key, item]) => {
    const row = known.get(key)
    return item.ok && row !== undefined && isUnchanged(shape, row, item)
  })
}

function isIdle(page: PageCommit): boolean {
  return page.items.length === 0 && page.fullSync === undefined && page.cursor === undefined && page.whole === undefined
}
