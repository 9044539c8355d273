import type { ChangeLog } from '../history/change-log.ts'
import type { Incoming, PageCommit } from '../port.ts'
import { type QuarantineStore, unbrokenFullSync } from '../records/quarantine-store.ts'
import type { Tallies } from '../records/record-counts.ts'
import type { RecordTable } from '../records/record-tables.ts'
import type { RecordWrite, RecordWriter, Written } from '../records/record-writer.ts'
import type { Removals } from '../records/removal-store.ts'
import { contradiction, outdated } from '../records/repeats.ts'
import type { RidSet } from '../records/rid-set.ts'
import type { Step, Steps } from '../steps.ts'
import type { FullSyncNotes } from './full-sync-store.ts'
import type { KnownItems } from './page-items.ts'
import { noCounts } from './page-rows.ts'

export interface WritingParts {
  readonly writer: (resource: PageCommit['resource']) => RecordWriter
  readonly tallies: Tallies
  readonly log: ChangeLog
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
  unreadable: boolean
  outdated: boolean
}

/** Statements sent before the records are written, so that nothing waits for their answers. */
export interface AskedBefore {
  readonly returnable: ReturnType<Removals['returnable']>
  /** Ids for new records. */
  readonly reserved: Step<readonly number[]> | null
  readonly releaseOlder: (rids: () => readonly number[]) => Steps<void>
  /** Records that earlier pages of the full sync returned. */
  readonly shown: () => Steps<Shown>
}

export type ItemsWriter = (page: PageCommit, known: KnownItems, before: AskedBefore) => Steps<ItemsWritten>

/** Writes the records of a page that differ from the mirror. Call inside a transaction. */
export function itemsWriter(parts: WritingParts): ItemsWriter {
  const { writer, tallies, log, quarantine, removals } = parts

  /** Returns the records that are not mirrored. */
  function* writeKnown(
    page: PageCommit,
    known: KnownItems,
    { shown }: AskedBefore,
    written: ItemsWritten,
  ): Steps<readonly RecordWrite[]> {
    const { table, compare, repeat, change, touch } = writer(page.resource)
    const ofFullSync = page.fullSync?.advance === undefined ? null : page.fullSync
    const unknown: RecordWrite[] = []
    for (const [i, item] of known.items.entries()) {
      const before = known.at(i)
      if (!item.ok) {
        yield* quarantineItem(page, item, written)
        if (before === undefined || before.removed) continue
        written.rids.push(before.rid)
        if (before.absent) yield* touch(before)
        continue
      }
      const write = { key: known.keys[i] ?? 0, record: item.record, extra: item.extra, known: before }
      if (before === undefined) {
        unknown.push(write)
        continue
      }
      const difference = compare(write, before)
      if (difference === null) {
        if (before.absent) yield* touch(before)
        noteValid(written, before.rid, 'unchanged')
        continue
      }
      if (difference.earlierBy !== null && !(ofFullSync !== null && (yield* olderOf(page, write)) === 'alone')) {
        if (before.absent) yield* touch(before)
        yield* keepNewer(page, { write, rid: before.rid, field: difference.earlierBy }, shown, written)
        continue
      }
      if (ofFullSync !== null && difference.indexes.length > 0) {
        const counts = (yield* shown()).has(before.rid) ? repeat(before, difference) : 'second'
        if (counts === 'first') noteValid(written, before.rid, 'unchanged')
        else if (counts !== 'second') yield* quarantineBoth(page, { write, rid: before.rid, ...counts }, written)
        if (counts !== 'second') continue
      }
      const { written: one, step } = change(before, difference, page)
      yield* step
      noteValid(written, one.rid, one.kind === 'returned' ? 'created' : 'updated')
      for (const row of log.written(table, write.key, one, page)) yield* log.insert.run(...row)
      noteLaterDates(written, table, one)
    }
    return unknown
  }

  function* writeNew(
    page: PageCommit,
    unknown: readonly RecordWrite[],
    { reserved }: AskedBefore,
    written: ItemsWritten,
  ): Steps<void> {
    const { tenantId, resource, recordCreations } = page
    const { table, columns, create } = writer(resource)
    const tally = tallies(tenantId, resource, columns)
    const rids = yield* create(unknown, page, { tally, reserved })
    for (const [i, { key }] of unknown.entries()) {
      noteValid(written, rids[i] ?? 0, 'created')
      if (recordCreations) yield* log.insert.run(...log.noted(table, key, 'created', page))
    }
    yield* tally.flush()
  }

  function olderOf({ tenantId, resource }: PageCommit, { key }: RecordWrite) {
    return quarantine.older(tenantId, writer(resource).table, String(key))
  }

  function* keepNewer(
    page: PageCommit,
    { write, rid, field }: Conflict,
    shown: AskedBefore['shown'],
    written: ItemsWritten,
  ): Steps<void> {
    written.rids.push(rid)
    written.outdated = true
    const isShown = page.fullSync !== undefined && (yield* shown()).has(rid)
    // An earlier page of the full sync returned the known version.
    if (isShown && (yield* olderOf(page, write)) === null) written.counts.unchanged++
    else yield* quarantineItem(page, outdated(write.key, field, { ...write.record, ...write.extra }), written)
  }

  function* quarantineBoth(page: PageCommit, { write, rid, field }: Conflict, written: ItemsWritten): Steps<void> {
    written.rids.push(rid)
    written.contradictory.add(field)
    yield* quarantineItem(page, contradiction(write.key, field, [{ ...write.record, ...write.extra }]), written)
  }

  function* quarantineItem(page: PageCommit, item: Unreadable, written: ItemsWritten): Steps<void> {
    const fullSyncId = page.whole === undefined ? (page.fullSync?.id ?? null) : unbrokenFullSync
    const { table } = writer(page.resource)
    const key = yield* quarantine.quarantineRecord(table, item, { ...page, fullSyncId })
    if (key === null) written.unreadable = true
    else written.quarantinedKeys.push(key)
    written.counts.quarantined++
  }

  return function* (page, known, before) {
    const { tenantId, resource } = page
    const written: ItemsWritten = {
      rids: [],
      validRids: [],
      counts: { ...noCounts },
      laterDates: {},
      contradictory: new Set(known.contradictory),
      quarantinedKeys: [],
      unreadable: false,
      outdated: false,
    }
    const unknown = yield* writeKnown(page, known, before, written)
    if (unknown.length > 0) yield* writeNew(page, unknown, before, written)
    const keys = () => [...unknown.map(({ key }) => key), ...written.quarantinedKeys]
    yield* removals.withdraw(tenantId, resource, before.returnable, { rids: written.rids, keys })
    yield* before.releaseOlder(() => written.validRids)
    return written
  }
}

type Shown = Pick<RidSet, 'has'>

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
