import type { Sql } from '../db/db.ts'
import { type AppendEvents, type NewEvent, recordEvent } from '../event-store.ts'
import type { Incoming, PageCommit } from '../port.ts'
import { changeEvents } from '../records/change-events.ts'
import { type QuarantineStore, unbrokenFullSync } from '../records/quarantine-store.ts'
import type { Tallies } from '../records/record-counts.ts'
import type { RecordTable } from '../records/record-tables.ts'
import type { RecordWrite, RecordWriter, Written } from '../records/record-writer.ts'
import type { Removals } from '../records/removal-store.ts'
import { contradiction, outdated } from '../records/repeats.ts'
import type { FullSyncNotes } from './full-sync-store.ts'
import type { KnownItems } from './page-items.ts'
import { noCounts } from './page-rows.ts'

export interface WritingParts {
  readonly writer: (resource: PageCommit['resource']) => RecordWriter
  readonly tallies: Tallies
  readonly append: AppendEvents
  readonly quarantine: QuarantineStore
  readonly removals: Removals
  readonly fullSyncNotes: FullSyncNotes
}

export interface ItemsWritten {
  readonly rids: number[]
  readonly counts: { created: number; updated: number; unchanged: number; removed: number; quarantined: number }
  readonly laterDates: Record<string, number>
  readonly contradictory: Set<string>
  readonly validRids: number[]
  readonly quarantinedKeys: (string | number)[]
  readonly events: NewEvent[]
  unreadable: boolean
}

export type ItemsWriter = (tx: Sql, page: PageCommit, known: KnownItems) => Promise<ItemsWritten>

/** Writes the records of a page that differ from the mirror. Call inside a transaction. */
export function itemsWriter(parts: WritingParts): ItemsWriter {
  const { writer, tallies, append, quarantine, removals, fullSyncNotes } = parts

  /** Returns the records that are not mirrored. */
  async function writeKnown(
    tx: Sql,
    page: PageCommit,
    known: KnownItems,
    written: ItemsWritten,
  ): Promise<readonly RecordWrite[]> {
    const { table, compare, repeat, change, touch } = writer(page.resource)
    const ofFullSync = page.fullSync?.advance === undefined ? null : page.fullSync
    const unknown: RecordWrite[] = []
    for (const [i, item] of known.items.entries()) {
      const before = known.at(i)
      if (!item.ok) {
        await quarantineItem(tx, page, item, written)
        if (before === undefined || before.removed) continue
        written.rids.push(before.rid)
        if (before.absent) await touch(tx, before)
        continue
      }
      const write = { key: known.keys[i] ?? 0, record: item.record, extra: item.extra, known: before }
      if (before === undefined) {
        unknown.push(write)
        continue
      }
      const difference = compare(write, before)
      if (difference === null) {
        if (before.absent) await touch(tx, before)
        noteValid(written, before.rid, 'unchanged')
        continue
      }
      if (difference.earlierBy !== null && !(ofFullSync !== null && (await olderOf(tx, page, write)) === 'alone')) {
        if (before.absent) await touch(tx, before)
        await keepNewer(tx, page, { write, rid: before.rid, field: difference.earlierBy }, written)
        continue
      }
      if (ofFullSync !== null && difference.indexes.length > 0) {
        const counts = (await fullSyncNotes.seenBefore(tx, ofFullSync.id)).has(before.rid)
          ? repeat(before, difference)
          : 'second'
        if (counts === 'first') noteValid(written, before.rid, 'unchanged')
        else if (counts !== 'second') await quarantineBoth(tx, page, { write, rid: before.rid, ...counts }, written)
        if (counts !== 'second') continue
      }
      const { written: one, write: store } = change(before, difference, page)
      await store(tx)
      noteValid(written, one.rid, one.kind === 'returned' ? 'created' : 'updated')
      written.events.push(...changeEvents(table, write.key, one, page))
      noteLaterDates(written, table, one)
    }
    return unknown
  }

  async function writeNew(
    tx: Sql,
    page: PageCommit,
    unknown: readonly RecordWrite[],
    written: ItemsWritten,
  ): Promise<void> {
    const { tenantId, resource, recordCreations, at, requestId } = page
    const { columns, create } = writer(resource)
    const tally = tallies(tenantId, resource, columns)
    const rids = await create(tx, unknown, page, tally)
    for (const [i, { key }] of unknown.entries()) {
      noteValid(written, rids[i] ?? 0, 'created')
      if (recordCreations)
        written.events.push(recordEvent({ kind: 'record.created', resource, key }, { at, requestId }))
    }
    await tally.flush(tx)
  }

  function olderOf(tx: Sql, { tenantId, resource }: PageCommit, { key }: RecordWrite) {
    return quarantine.older(tx, tenantId, writer(resource).table, String(key))
  }

  async function keepNewer(
    tx: Sql,
    page: PageCommit,
    { write, rid, field }: Conflict,
    written: ItemsWritten,
  ): Promise<void> {
    written.rids.push(rid)
    const isShown = page.fullSync !== undefined && (await fullSyncNotes.seenBefore(tx, page.fullSync.id)).has(rid)
    // An earlier page of the full sync returned the known version.
    if (isShown && (await olderOf(tx, page, write)) === null) written.counts.unchanged++
    else await quarantineItem(tx, page, outdated(write.key, field, { ...write.record, ...write.extra }), written)
  }

  async function quarantineBoth(
    tx: Sql,
    page: PageCommit,
    { write, rid, field }: Conflict,
    written: ItemsWritten,
  ): Promise<void> {
    written.rids.push(rid)
    written.contradictory.add(field)
    await quarantineItem(tx, page, contradiction(write.key, field, [{ ...write.record, ...write.extra }]), written)
  }

  async function quarantineItem(tx: Sql, page: PageCommit, item: Unreadable, written: ItemsWritten): Promise<void> {
    const fullSyncId = page.whole === undefined ? (page.fullSync?.id ?? null) : unbrokenFullSync
    const { table } = writer(page.resource)
    const key = await quarantine.quarantineRecord(tx, table, item, { ...page, fullSyncId })
    if (key === null) written.unreadable = true
    else written.quarantinedKeys.push(key)
    written.counts.quarantined++
  }

  return async (tx, page, known) => {
    const { tenantId, resource } = page
    const written: ItemsWritten = {
      rids: [],
      validRids: [],
      counts: { ...noCounts },
      laterDates: {},
      contradictory: new Set(known.contradictory),
      quarantinedKeys: [],
      events: [],
      unreadable: false,
    }
    const unknown = await writeKnown(tx, page, known, written)
    if (unknown.length > 0) await writeNew(tx, page, unknown, written)
    await append(tx, tenantId, written.events)
    const keys = [...unknown.map(({ key }) => key), ...written.quarantinedKeys]
    await removals.withdraw(tx, tenantId, resource, { rids: written.rids, keys })
    await quarantine.releaseOlder(tx, tenantId, writer(resource).table, written.validRids)
    return written
  }
}

type Unreadable = Incoming & { readonly ok: false }

interface Conflict {
  readonly write: RecordWrite
  readonly rid: number
  readonly field: string
}

function noteValid(written: ItemsWritten, rid: number, count: 'created' | 'updated' | 'unchanged'): void {
  written.rids.push(rid)
  written.validRids.push(rid)
  written.counts[count]++
}

/** Compares instants: a date in another notation has not moved. */
function noteLaterDates({ laterDates }: ItemsWritten, table: RecordTable, { before, after, fields }: Written): void {
  for (const field of fields) {
    const [was, is] = [before[`${field}Ms`] ?? null, after[`${field}Ms`] ?? null]
    if (table.fields[field] !== 'date' || was === null || is === null || is <= was) continue
    laterDates[field] = (laterDates[field] ?? 0) + 1
  }
}
