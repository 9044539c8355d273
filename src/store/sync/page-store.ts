import { createdAtOf, isoMs } from '../../model/dates.ts'
import { secondMs } from '../../model/durations.ts'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database, Operations } from '../database.ts'
import type {
  DetailResult,
  Incoming,
  KnownPageCommit,
  PageCommit,
  PageComparison,
  PageResult,
  SyncStore,
} from '../port.ts'
import { contradictedMark, unbrokenFullSync } from '../records/quarantine-store.ts'
import { personalFields, type RecordTable, recordTables } from '../records/record-tables.ts'
import { type Known, type RecordWriter, recordWriter } from '../records/record-writer.ts'
import { countRids, packRids, ridSet, unpackRids } from '../records/rid-set.ts'
import { ahead, askEach, type Steps } from '../steps.ts'
import type { PageFingerprints } from './page-fingerprint-cache.ts'
import { type KnownItems, keyOf, knownItems } from './page-items.ts'
import { noCounts } from './page-rows.ts'
import { type AskedBefore, type ItemsWritten, itemsWriter, type WritingParts } from './page-writing.ts'
import { completion, syncStateWriter } from './sync-states.ts'

export interface PageParts extends WritingParts {
  readonly pageFingerprints: PageFingerprints
}

export function recordWriters(database: Database): (resource: ResourceName) => RecordWriter {
  return memoize((resource) => recordWriter(database, recordTables[resource]))
}

interface Before extends AskedBefore {
  /** Null without a full sync. */
  readonly add: ((rids: Buffer) => Steps<number | null>) | null
}

// biome-ignore lint/correctness/useYield: Nothing is asked.
const noneShown = function* () {
  return ridSet([])
}

class NotIntact extends Error {
  override readonly name = 'NotIntact'
}

const noDetail: DetailResult = { supplied: false, differing: [], contradicts: false }

const nothing: Pick<PageResult, 'laterDates' | 'contradictory'> = { laterDates: {}, contradictory: [] }

export function pageStore(
  database: Database,
  parts: PageParts,
): Operations<Pick<SyncStore, 'commitPage' | 'commitDetail' | 'knownKeys' | 'knownPage' | 'commitKnownPage'>> {
  const { writer, log, quarantine, removals, fullSyncNotes, pageFingerprints } = parts
  const writeItems = itemsWriter(parts)
  const putState = syncStateWriter(database)
  const sinceOf = database.prepareValues<[number], number | null>('select known_since from tenants where id = ?')
  function* knownSince(tenantId: number): Steps<number> {
    return (yield* sinceOf.get(tenantId)) ?? 0
  }

  /** Sends the statements that do not depend on the records, and advances the full sync. */
  function* before(page: PageCommit): Steps<Before> {
    const { tenantId, resource, items, at } = page
    const unreadable = items.some((item) => !item.ok && item.id === null)
    return {
      add:
        page.fullSync === undefined
          ? null
          : yield* fullSyncNotes.adding(page.fullSync, { isEmpty: items.length === 0, unreadable, at }),
      returnable: yield* ahead(removals.returnable(tenantId, resource)),
      reserved: yield* writer(resource).reserve(tenantId, items.length),
      releaseOlder: yield* quarantine.releasingOlder(tenantId, writer(resource).table),
      shown: page.fullSync === undefined ? noneShown : yield* fullSyncNotes.showing(page.fullSync.id),
    }
  }

  function* commit(page: PageCommit): Steps<PageResult> {
    const { tenantId, resource, requestId } = page
    const { table } = writer(resource)
    const early = page.admit === undefined ? yield* before(page) : null
    const known = yield* knownItems(writer(resource), tenantId, page.items)
    if (page.admit !== undefined && !page.admit(yield* comparison(page, known)))
      return { admitted: false, counts: noCounts, ...nothing }
    const { add, ...asked } = early ?? (yield* before(page))
    if (page.whole !== undefined) yield* quarantine.begin(tenantId, table)
    const written = yield* writeItems(page, known, asked)
    const rids = packRids(written.rids)
    const number = add === null ? null : yield* add(rids)
    if (number !== null && page.remember !== undefined && isPlain(known, written)) {
      yield* pageFingerprints.remember(tenantId, resource, number, page.remember, rids)
    }
    if (page.whole !== undefined) {
      const absent = yield* removals.liveWithout(tenantId, resource, rids)
      // The record without a readable id may be one of the absent ones.
      if (written.unreadable) yield* removals.markMissing(resource, absent, page.at)
      else {
        written.counts.removed = yield* removals.tombstone(tenantId, resource, absent, page)
        yield* quarantine.release(tenantId, table, unbrokenFullSync)
      }
    }
    const complete = page.whole && completion(page.whole, requestId)
    yield* putState(tenantId, resource, { cursor: page.cursor, ...complete })
    const { counts, laterDates, contradictory } = written
    return { admitted: true, counts, laterDates, contradictory: [...contradictory] }
  }

  /** @throws NotIntact, without a write, when the page must be decoded. */
  function* commitKnown({ tenantId, resource, at, page, fullSync, ...memory }: KnownPageCommit): Steps<PageResult> {
    const add = yield* fullSyncNotes.adding(fullSync, { isEmpty: false, unreadable: false, at })
    const accepted = yield* ahead(removals.anyAccepted(tenantId, resource))
    const releaseOlder = yield* quarantine.releasingOlder(tenantId, writer(resource).table)
    const rids = yield* pageFingerprints.intact(tenantId, resource, page, memory)
    if (rids === null || (yield* accepted)) throw new NotIntact()
    yield* releaseOlder(() => unpackRids(rids))
    yield* add(rids)
    return { admitted: true, counts: { ...noCounts, unchanged: countRids(rids) }, ...nothing }
  }

  function* supply(
    detail: Omit<Parameters<SyncStore['commitDetail']>[0], 'item'>,
    item: Incoming,
  ): Steps<DetailResult> {
    const { tenantId, resource, at } = detail
    const { table, columns, find, differing, supply: put } = writer(resource)
    const key = keyOf(item, table)
    const known = key === null ? undefined : (yield* find(tenantId, [key])).get(key)
    if (!item.ok || key === null || known === undefined || known.removed || table.detail === undefined) return noDetail
    const { states, ifEqual, readAt } = table.detail
    const fields = differing({ key, record: item.record, extra: undefined, known })
    const personal = personalFields(resource)
    const storedOf = (field: string) =>
      known.stored[columns.indexOf(table.fields[field] === 'date' ? `${field}Ms` : field)]
    const contested = fields.filter(
      (field) => !personal.includes(field) && !isNotation(item.record[field], storedOf(field), table.fields[field]),
    )
    const contradicts = contested.length > 0 && !(yield* quarantine.knows(tenantId, table, contradictedMark + key))
    if (contested.length === 0) yield* quarantine.agree(tenantId, table, String(key))
    else yield* quarantine.contradict(table, String(key), contested, { ...detail, fullSyncId: null })
    const value = item.record[states]
    if (ifEqual.some((field) => fields.includes(field)) || typeof value !== 'number')
      return { supplied: false, differing: fields, contradicts }
    const { written, step } = put(known, { [states]: value, [readAt]: at }, detail)
    yield* step
    for (const row of log.written(table, key, written, detail)) yield* log.insert.run(...row)
    return { supplied: true, differing: fields, contradicts }
  }

  function* comparison({ tenantId, resource }: PageCommit, { items, keys, at }: KnownItems): Steps<PageComparison> {
    const { table, holds } = writer(resource)
    const known = yield* areKnown(tenantId, table, keys, at)
    const unknown = items.flatMap((item, i) =>
      known[i] ? [] : [{ key: keys[i] ?? null, createdAt: createdAtOf(item.ok ? item.record : item.raw) }],
    )
    const changes = () => items.some((item, i) => item.ok && !holds({ ...item, key: keys[i] ?? 0, known: at(i) }))
    return { known: items.length - unknown.length, unknown, changes }
  }

  /** By index: true if the record is mirrored or quarantined. */
  function* areKnown(
    tenantId: number,
    table: RecordTable,
    keys: readonly (string | number | null)[],
    at: (index: number) => Known | undefined,
  ): Steps<readonly boolean[]> {
    const since = yield* knownSince(tenantId)
    const known = keys.map((_, i) => isKnown(at(i), since))
    const others = keys.flatMap((key, i) => (key === null || known[i] === true ? [] : [{ i, key: String(key) }]))
    const quarantined = yield* askEach(others, ({ key }) => quarantine.knows(tenantId, table, key))
    for (const [n, { i }] of others.entries()) known[i] = quarantined[n] === true
    return known
  }

  return {
    commitPage: (page) => {
      if (isIdle(page)) return database.run((): PageResult => ({ admitted: true, counts: noCounts, ...nothing }))
      // A page that only moves the cursor changes no record.
      const change = page.items.length > 0 || page.whole !== undefined ? page : 'nothing'
      return database.write(change, () => commit(page))
    },
    knownPage: (tenantId, resource, page, reading) =>
      database.run(async () => {
        // An outdated one is harmless: `commitKnownPage` compares it with the stored one.
        const known = () => pageFingerprints.known(tenantId, resource, page, reading)
        const read = known()
        if (read !== undefined) return read
        await database.read(() => pageFingerprints.readAhead(tenantId, resource, page))
        return known() ?? null
      }),
    commitKnownPage: (page) =>
      database.run(async () => {
        try {
          return await database.writeProgress(() => commitKnown(page))
        } catch (error) {
          if (error instanceof NotIntact) return null
          throw error
        }
      }),
    commitDetail: ({ item, ...detail }) => database.write(detail, () => supply(detail, item)),
    knownKeys: (tenantId, resource, ids) =>
      database.read(function* () {
        const { table, find } = writer(resource)
        const keys = ids.map(table.keyOf)
        const found = yield* find(tenantId, keys)
        const known = yield* areKnown(tenantId, table, keys, (i) => found.get(keys[i] ?? ''))
        return known.filter(Boolean).length
      }),
  }
}

/** True for the same instant to the second, or texts that differ only in letter case and surrounding spaces. */
function isNotation(stated: unknown, stored: unknown, kind: string | undefined): boolean {
  if (kind === 'date') return typeof stored === 'number' && Math.abs((isoMs(stated) ?? Infinity) - stored) < secondMs
  const plain = (text: unknown) => (typeof text === 'string' ? text.trim().toLowerCase() : text)
  return plain(stated) === plain(stored)
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
