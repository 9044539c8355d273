import { parseIsoDate } from '../model/dates.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { ChangeLog } from './change-log.ts'
import { type Database, transact } from './database.ts'
import type { CommitCounts, Incoming, PageCommit, PageGlance, PageResult, SyncStore } from './port.ts'
import { type QuarantineStore, wholeWalk } from './quarantine-store.ts'
import type { RecordTable, StoredFields } from './record-table.ts'
import { recordTables } from './record-tables.ts'
import { type RecordWriter, recordWriter } from './record-writer.ts'
import type { Removals } from './removal-store.ts'
import { packRids } from './rid-set.ts'
import type { WalkNotes } from './walk-notes.ts'

/** The parts a page's transaction is made of. */
export interface PageParts {
  readonly writer: (resource: ResourceName) => RecordWriter
  readonly log: ChangeLog
  readonly quarantine: QuarantineStore
  readonly removals: Removals
  readonly walkNotes: WalkNotes
}

export function recordWriters(database: Database): (resource: ResourceName) => RecordWriter {
  const writers = new Map<ResourceName, RecordWriter>()
  return (resource) => {
    const known = writers.get(resource)
    if (known !== undefined) return known
    const made = recordWriter(database, recordTables[resource])
    writers.set(resource, made)
    return made
  }
}

interface ItemsWritten {
  readonly rids: readonly number[]
  readonly counts: { created: number; updated: number; unchanged: number; removed: number; quarantined: number }
  readonly changedFields: Record<string, number>
  readonly unreadable: boolean
}

const none: CommitCounts = { created: 0, updated: 0, unchanged: 0, removed: 0, quarantined: 0 }

/** Writes pages and detail answers, each whole or not at all. */
export function pageStore(
  database: Database,
  parts: PageParts,
): Pick<SyncStore, 'commitPage' | 'commitDetail' | 'knownKeys'> {
  const { writer, log, quarantine, removals, walkNotes } = parts

  function writeItems(page: Omit<PageCommit, 'admit'>, detail?: StoredFields): ItemsWritten {
    const { table } = writer(page.resource)
    const rids: number[] = []
    const counts = { ...none }
    const changedFields: Record<string, number> = {}
    let unreadable = false
    const accepted = removals.acceptance(page.tenantId, page.resource)
    for (const item of page.items) {
      if (!item.ok) {
        const walkId = page.whole === undefined ? (page.walk?.id ?? null) : wholeWalk
        const key = quarantine.hold(table, item, { ...page, walkId })
        counts.quarantined++
        const known = key === null ? undefined : writer(page.resource).find(page.tenantId, key)
        if (key === null) unreadable = true
        if (known === undefined || known.removed) continue
        rids.push(known.rid)
        accepted.seen(known.rid)
        writer(page.resource).seen(known)
        continue
      }
      const written = writer(page.resource).write(
        item.record,
        detail === undefined ? item.extra : undefined,
        page,
        detail,
      )
      rids.push(written.rid)
      accepted.seen(written.rid)
      if (written.kind === 'unchanged') {
        counts.unchanged++
        continue
      }
      const key = keyOf(item, table) ?? 0
      if (written.kind === 'created' && page.recordCreations) log.noted(table, key, 'created', page)
      log.written(table, key, written, page)
      counts[written.kind === 'changed' ? 'updated' : 'created']++
      for (const field of written.fields) changedFields[field] = (changedFields[field] ?? 0) + 1
    }
    return { rids, counts, changedFields, unreadable }
  }

  function commit(page: PageCommit): PageResult {
    if (page.admit !== undefined && !page.admit(glance(page)))
      return { admitted: false, counts: none, changedFields: {} }
    if (page.whole !== undefined) quarantine.begin(page.tenantId, writer(page.resource).table)
    const written = writeItems(page)
    if (page.walk !== undefined) {
      walkNotes.add(page.walk, packRids(written.rids), page.items.length, written.unreadable, page.at)
    }
    if (page.cursor !== undefined) walkNotes.storeCursor(page.tenantId, page.resource, page.cursor)
    if (page.whole !== undefined) {
      if (!written.unreadable) {
        const absent = removals.liveWithout(page.tenantId, page.resource, packRids(written.rids))
        written.counts.removed = removals.bury(page.tenantId, page.resource, absent, page.at, page.requestId)
      }
      quarantine.release(page.tenantId, writer(page.resource).table, wholeWalk)
      walkNotes.complete(page.tenantId, page.resource, page.whole, page.requestId)
    }
    return { admitted: true, counts: written.counts, changedFields: written.changedFields }
  }

  function glance({ tenantId, resource, items }: PageCommit): PageGlance {
    const { table, find } = writer(resource)
    let known = 0
    const unknownCreatedAt: (number | null)[] = []
    for (const item of items) {
      const key = keyOf(item, table)
      if (key !== null && (find(tenantId, key) !== undefined || quarantine.knows(tenantId, table, String(key)))) known++
      else unknownCreatedAt.push(item.ok ? createdAtOf(item.record) : null)
    }
    return { known, unknownCreatedAt }
  }

  return {
    async commitPage(page) {
      if (isIdle(page)) return { admitted: true, counts: none, changedFields: {} }
      return transact(database, () => commit(page))
    },
    async commitDetail({ item, walkId, ...detail }) {
      return transact(database, () => {
        const written = writeItems(
          { ...detail, items: [item], recordCreations: true, ...(walkId === null ? {} : { walk: { id: walkId } }) },
          { detailReadAt: detail.at },
        )
        if (walkId !== null) walkNotes.add({ id: walkId }, packRids(written.rids), 1, false, detail.at)
        return { admitted: true, counts: written.counts, changedFields: written.changedFields }
      })
    },
    async knownKeys(tenantId, resource, ids) {
      const { table, find } = writer(resource)
      return ids
        .map(table.keyOf)
        .filter((key) => find(tenantId, key) !== undefined || quarantine.knows(tenantId, table, String(key))).length
    },
  }
}

function isIdle(page: PageCommit): boolean {
  return page.items.length === 0 && page.walk === undefined && page.cursor === undefined && page.whole === undefined
}

function keyOf(item: Incoming, table: RecordTable): string | number | null {
  if (!item.ok) return item.id === null ? null : table.keyOf(item.id)
  return table.keyOf(table.idField === null ? null : (item.record as Readonly<Record<string, unknown>>)[table.idField])
}

function createdAtOf(record: object): number | null {
  return parseIsoDate('createdAt' in record ? record.createdAt : null)?.ms ?? null
}
