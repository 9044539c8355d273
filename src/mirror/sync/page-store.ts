import { createdAtOf } from '../../model/dates.ts'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { ChangeLog } from '../history/history-store.ts'
import type {
  CommitCounts,
  DetailResult,
  Incoming,
  KnownPageCommit,
  PageCommit,
  PageComparison,
  PageResult,
  SyncStore,
} from '../port.ts'
import { type QuarantineStore, unbrokenFullSync } from '../records/quarantine-store.ts'
import type { Tallies } from '../records/record-counts.ts'
import { type RecordTable, recordTables } from '../records/record-tables.ts'
import {
  createdAs,
  type Known,
  type RecordWrite,
  type RecordWriter,
  recordWriter,
  type Written,
} from '../records/record-writer.ts'
import type { Removals } from '../records/removal-store.ts'
import { contradiction, outdated } from '../records/repeats.ts'
import { countRids, packRids, unpackRids } from '../records/rid-set.ts'
import type { Database, Operations } from '../sqlite/database.ts'
import type { FullSyncNotes } from './full-sync-store.ts'
import type { PageFingerprints } from './page-fingerprint-cache.ts'
import { type KnownItems, keyOf, knownItems } from './page-items.ts'
import { completion, syncStateWriter } from './sync-states.ts'

export interface PageParts {
  readonly writer: (resource: ResourceName) => RecordWriter
  readonly tallies: Tallies
  readonly log: ChangeLog
  readonly quarantine: QuarantineStore
  readonly removals: Removals
  readonly fullSyncNotes: FullSyncNotes
  readonly pageFingerprints: PageFingerprints
}

export function recordWriters(database: Database): (resource: ResourceName) => RecordWriter {
  return memoize((resource) => recordWriter(database, recordTables[resource]))
}

interface ItemsWritten {
  readonly rids: number[]
  readonly counts: { created: number; updated: number; unchanged: number; removed: number; quarantined: number }
  readonly laterDates: Record<string, number>
  readonly contradictory: Set<string>
  readonly wellRids: number[]
  unreadable: boolean
  outdated: boolean
}

const countedAs = { created: 'created', returned: 'created', changed: 'updated', unchanged: 'unchanged' } as const

const noDetail: DetailResult = { supplied: false, differing: [] }

const nothing: Pick<PageResult, 'laterDates' | 'contradictory'> = { laterDates: {}, contradictory: [] }

const none: CommitCounts = { created: 0, updated: 0, unchanged: 0, removed: 0, quarantined: 0 }

export function pageStore(
  database: Database,
  parts: PageParts,
): Operations<Pick<SyncStore, 'commitPage' | 'commitDetail' | 'knownKeys' | 'knownPage' | 'commitKnownPage'>> {
  const { writer, tallies, log, quarantine, removals, fullSyncNotes, pageFingerprints } = parts
  const putState = syncStateWriter(database)
  const sinceOf = database.raw.prepare<[number], number | null>('select known_since from tenants where id = ?').pluck()
  const knownSince = (tenantId: number) => sinceOf.get(tenantId) ?? 0

  function writeItems(page: PageCommit, known: KnownItems): ItemsWritten {
    const { tenantId, resource, at, requestId } = page
    const { table, columns, seen, write, create } = writer(resource)
    const fullSyncId = page.whole === undefined ? (page.fullSync?.id ?? null) : unbrokenFullSync
    const isOfFullSync = fullSyncId !== null && page.fullSync?.advance !== undefined
    const shown = (rid: number) => page.fullSync !== undefined && fullSyncNotes.shown(page.fullSync.id, rid)
    const repeated = (rid: number) => isOfFullSync && shown(rid)
    const olderOf = (key: string | number) => quarantine.older(tenantId, table, String(key))
    const takesOlder = (key: string | number) => isOfFullSync && olderOf(key) === 'alone'
    const context = { tally: tallies(tenantId, resource, columns), tenantId, at, requestId, repeated, takesOlder }
    const unknown: RecordWrite[] = []
    const quarantinedKeys: string[] = []
    const contradictory = new Set(known.contradictory)
    const written: ItemsWritten = {
      rids: [],
      wellRids: [],
      counts: { ...none },
      laterDates: {},
      contradictory,
      unreadable: false,
      outdated: false,
    }
    for (const [i, item] of known.items.entries()) {
      const before = known.at(i)
      if (!item.ok) {
        quarantineItem(item)
        if (before === undefined || before.removed) continue
        written.rids.push(before.rid)
        seen(before)
        continue
      }
      const incoming = { key: known.keys[i] ?? 0, record: item.record, extra: item.extra, known: before }
      if (before === undefined) unknown.push(incoming)
      else note(incoming, write(incoming, context))
    }
    const rids = create(unknown, context)
    for (const [i, incoming] of unknown.entries()) note(incoming, createdAs(rids[i] ?? 0))
    context.tally.flush()
    const accepted = removals.acceptance(tenantId, resource)
    for (const rid of written.rids) accepted.seen(rid)
    for (const { key } of unknown) accepted.seenKey(String(key))
    for (const key of quarantinedKeys) accepted.seenKey(key)
    quarantine.outdo(tenantId, table, () => written.wellRids)
    return written

    function quarantineItem(item: Incoming & { ok: false }): void {
      const key = quarantine.quarantineRecord(table, item, { ...page, fullSyncId })
      if (key === null) written.unreadable = true
      else quarantinedKeys.push(String(key))
      written.counts.quarantined++
    }

    function note({ key, record, extra }: RecordWrite, one: Written): void {
      written.rids.push(one.rid)
      if (one.kind === 'contradictory') {
        const [field = ''] = one.fields
        contradictory.add(field)
        quarantineItem(contradiction(key, field, [{ ...record, ...extra }]))
        return
      }
      if (one.kind === 'older') {
        const [field = ''] = one.fields
        written.outdated = true
        // An earlier page of the full sync returned the known version.
        if (shown(one.rid) && olderOf(key) === null) written.counts.unchanged++
        else quarantineItem(outdated(key, field, { ...record, ...extra }))
        return
      }
      written.wellRids.push(one.rid)
      written.counts[countedAs[one.kind]]++
      if (one.kind === 'created' && page.recordCreations) log.noted(table, key, 'created', page)
      log.written(table, key, one, page)
      for (const field of datesMovedLater(table, one)) written.laterDates[field] = (written.laterDates[field] ?? 0) + 1
    }
  }

  function commit(page: PageCommit): PageResult {
    const known = knownItems(writer(page.resource), page.tenantId, page.items)
    if (page.admit !== undefined && !page.admit(comparison(page, known)))
      return { admitted: false, counts: none, ...nothing }
    if (page.whole !== undefined) quarantine.begin(page.tenantId, writer(page.resource).table)
    const written = writeItems(page, known)
    const rids = packRids(written.rids)
    if (page.fullSync !== undefined) {
      const number = fullSyncNotes.add(page.fullSync, rids, page.items.length, written.unreadable, page.at)
      if (number !== null && page.remember !== undefined && isPlain(known, written)) {
        pageFingerprints.remember(page.tenantId, page.resource, number, page.remember, rids)
      }
    }
    if (page.whole !== undefined) {
      if (!written.unreadable) {
        const absent = removals.liveWithout(page.tenantId, page.resource, rids)
        written.counts.removed = removals.tombstone(page.tenantId, page.resource, absent, page)
        quarantine.release(page.tenantId, writer(page.resource).table, unbrokenFullSync)
      }
    }
    const complete = page.whole && completion(page.whole, page.requestId)
    putState(page.tenantId, page.resource, { cursor: page.cursor, ...complete })
    const { counts, laterDates, contradictory } = written
    return { admitted: true, counts, laterDates, contradictory: [...contradictory] }
  }

  function commitKnown({ tenantId, resource, at, page, fullSync, ...memory }: KnownPageCommit): PageResult | null {
    const rids = pageFingerprints.intact(tenantId, resource, page, memory)
    if (rids === null || removals.anyAccepted(tenantId, resource)) return null
    const unchanged = countRids(rids)
    quarantine.outdo(tenantId, writer(resource).table, () => unpackRids(rids))
    fullSyncNotes.add(fullSync, rids, unchanged, false, at)
    return { admitted: true, counts: { ...none, unchanged }, ...nothing }
  }

  function supply(detail: Omit<Parameters<SyncStore['commitDetail']>[0], 'item'>, item: Incoming): DetailResult {
    const { tenantId, resource, at } = detail
    const { table, find, differing, supply: put } = writer(resource)
    const key = keyOf(item, table)
    const known = key === null ? undefined : find(tenantId, [key]).get(key)
    if (!item.ok || key === null || known === undefined || known.removed || table.detail === undefined) return noDetail
    const { states, ifEqual, readAt } = table.detail
    const fields = differing({ key, record: item.record, extra: undefined, known })
    const value = item.record[states]
    if (ifEqual.some((field) => fields.includes(field)) || typeof value !== 'number')
      return { supplied: false, differing: fields }
    log.written(table, key, put(known, { [states]: value, [readAt]: at }, detail), detail)
    return { supplied: true, differing: fields }
  }

  function comparison({ tenantId, resource }: PageCommit, { items, keys, at }: KnownItems): PageComparison {
    const { table, holds } = writer(resource)
    const since = knownSince(tenantId)
    let known = 0
    const unknown: { key: string | number | null; createdAt: number | null }[] = []
    for (const [i, item] of items.entries()) {
      const key = keys[i] ?? null
      if (key !== null && (isKnown(at(i), since) || quarantine.knows(tenantId, table, String(key)))) known++
      else unknown.push({ key, createdAt: item.ok ? createdAtOf(item.record) : null })
    }
    const changes = () => items.some((item, i) => item.ok && !holds({ ...item, key: keys[i] ?? 0, known: at(i) }))
    return { known, unknown, changes }
  }

  return {
    commitPage: (page) =>
      database.run(() => {
        if (isIdle(page)) return { admitted: true, counts: none, ...nothing }
        // A page that only moves the cursor changes no record.
        const change = page.items.length > 0 || page.whole !== undefined ? page : 'nothing'
        return database.transact(change, () => commit(page))
      }),
    knownPage: (tenantId, resource, page, reading) =>
      database.run(() => pageFingerprints.find(tenantId, resource, page, reading)),
    commitKnownPage: (page) => database.writeProgress(() => commitKnown(page)),
    commitDetail: ({ item, ...detail }) => database.write(detail, () => supply(detail, item)),
    knownKeys: (tenantId, resource, ids) =>
      database.run(() => {
        const { table, find } = writer(resource)
        const keys = ids.map(table.keyOf)
        const known = find(tenantId, keys)
        const since = knownSince(tenantId)
        const isOurs = (key: string | number) => isKnown(known.get(key), since)
        return keys.filter((key) => isOurs(key) || quarantine.knows(tenantId, table, String(key))).length
      }),
  }
}

/** Pages with invalid, repeated or outdated records are decoded each time. */
function isPlain({ items, merged }: KnownItems, { counts, outdated: older }: ItemsWritten): boolean {
  return items.length > 0 && counts.quarantined === 0 && !merged && !older
}

function isIdle(page: PageCommit): boolean {
  return page.items.length === 0 && page.fullSync === undefined && page.cursor === undefined && page.whole === undefined
}

/** A tombstone first seen before `since` belongs to another tenant (docs/sync.md#tenant-identity). */
function isKnown(known: Known | undefined, since: number): boolean {
  return known !== undefined && (!known.removed || known.firstSeenAt >= since)
}

/** Compares instants: a date in another notation has not moved. */
function datesMovedLater(table: RecordTable, { before, after, fields }: Written): readonly string[] {
  if (before === null || after === null) return []
  return fields.filter((field) => {
    const [was, is] = [before[`${field}Ms`] ?? null, after[`${field}Ms`] ?? null]
    return table.fields[field] === 'date' && was !== null && is !== null && is > was
  })
}
