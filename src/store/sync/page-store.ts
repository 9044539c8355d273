import { createdAtOf, isoMs } from '../../model/dates.ts'
import { secondMs } from '../../model/durations.ts'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import type { DetailResult, Incoming, PageCommit, PageComparison, PageResult, SyncStore } from '../port.ts'
import { changeEvents } from '../records/change-events.ts'
import { eachOf } from '../records/each-of.ts'
import { contradictedMark, unbrokenFullSync } from '../records/quarantine-store.ts'
import { personalFields, type RecordTable, recordTables } from '../records/record-tables.ts'
import { type Known, type RecordWriter, recordWriter } from '../records/record-writer.ts'
import { packRids } from '../records/rid-set.ts'
import { type KnownItems, keyOf, knownItems } from './page-items.ts'
import { noCounts } from './page-rows.ts'
import { itemsWriter, type WritingParts } from './page-writing.ts'
import { completion, syncStateWriter } from './sync-states.ts'

export function recordWriters(database: Database): (resource: ResourceName) => RecordWriter {
  return memoize((resource) => recordWriter(database, recordTables[resource]))
}

const noDetail: DetailResult = { supplied: false, differing: [], contradicts: false }

const nothing: Pick<PageResult, 'laterDates' | 'contradictory'> = { laterDates: {}, contradictory: [] }

export function pageStore(
  database: Database,
  parts: WritingParts,
): Pick<SyncStore, 'commitPage' | 'commitDetail' | 'knownKeys'> {
  const { writer, append, quarantine, removals, fullSyncNotes } = parts
  const writeItems = itemsWriter(parts)
  const putState = syncStateWriter(database)
  const sinceOf = database.prepareValues<[number], number | null>('select known_since from tenants where id = ?')
  async function knownSince(tx: Sql, tenantId: number): Promise<number> {
    return (await sinceOf.get(tx, tenantId)) ?? 0
  }

  async function commit(tx: Sql, page: PageCommit): Promise<PageResult> {
    const { tenantId, resource, requestId } = page
    const { table } = writer(resource)
    const known = await knownItems(tx, writer(resource), tenantId, page.items)
    if (page.admit !== undefined && !page.admit(await comparison(tx, page, known)))
      return { admitted: false, counts: noCounts, ...nothing }
    if (page.whole !== undefined) await quarantine.begin(tx, tenantId, table)
    const written = await writeItems(tx, page, known)
    const rids = packRids(written.rids)
    if (page.fullSync !== undefined) {
      const unreadable = page.items.some((item) => !item.ok && item.id === null)
      const isEmpty = page.items.length === 0
      await fullSyncNotes.add(tx, page.fullSync, { isEmpty, unreadable, at: page.at, rids })
    }
    if (page.whole !== undefined) {
      const absent = await removals.liveWithout(tx, tenantId, resource, rids)
      // The record without a readable id may be one of the absent ones.
      if (written.unreadable) await removals.markMissing(tx, resource, absent, page.at)
      else {
        written.counts.removed = await removals.tombstone(tx, tenantId, resource, absent, page)
        await quarantine.release(tx, tenantId, table, unbrokenFullSync)
      }
    }
    const complete = page.whole && completion(page.whole, requestId)
    await putState(tx, tenantId, resource, { cursor: page.cursor, ...complete })
    const { counts, laterDates, contradictory } = written
    return { admitted: true, counts, laterDates, contradictory: [...contradictory] }
  }

  async function supply(
    tx: Sql,
    detail: Omit<Parameters<SyncStore['commitDetail']>[0], 'item'>,
    item: Incoming,
  ): Promise<DetailResult> {
    const { tenantId, resource, at } = detail
    const { table, columns, find, differing, supply: put } = writer(resource)
    const key = keyOf(item, table)
    const known = key === null ? undefined : (await find(tx, tenantId, [key])).get(key)
    if (!item.ok || key === null || known === undefined || known.removed || table.detail === undefined) return noDetail
    const { states, ifEqual, readAt } = table.detail
    const fields = differing({ key, record: item.record, extra: undefined, known })
    const personal = personalFields(resource)
    const storedOf = (field: string) =>
      known.stored[columns.indexOf(table.fields[field] === 'date' ? `${field}Ms` : field)]
    const contested = fields.filter(
      (field) => !personal.includes(field) && !isNotation(item.record[field], storedOf(field), table.fields[field]),
    )
    const contradicts = contested.length > 0 && !(await quarantine.knows(tx, tenantId, table, contradictedMark + key))
    if (contested.length === 0) await quarantine.agree(tx, tenantId, table, String(key))
    else await quarantine.contradict(tx, table, String(key), contested, { ...detail, fullSyncId: null })
    const value = item.record[states]
    if (ifEqual.some((field) => fields.includes(field)) || typeof value !== 'number')
      return { supplied: false, differing: fields, contradicts }
    const { written, write } = put(known, { [states]: value, [readAt]: at }, detail)
    await write(tx)
    await append(tx, tenantId, changeEvents(table, key, written, detail))
    return { supplied: true, differing: fields, contradicts }
  }

  async function comparison(
    tx: Sql,
    { tenantId, resource }: PageCommit,
    { items, keys, at }: KnownItems,
  ): Promise<PageComparison> {
    const { table, holds } = writer(resource)
    const known = await areKnown(tx, tenantId, table, keys, at)
    const unknown = items.flatMap((item, i) =>
      known[i] ? [] : [{ key: keys[i] ?? null, createdAt: createdAtOf(item.ok ? item.record : item.raw) }],
    )
    const changes = () => items.some((item, i) => item.ok && !holds({ ...item, key: keys[i] ?? 0, known: at(i) }))
    return { known: items.length - unknown.length, unknown, changes }
  }

  /** By index: true if the record is mirrored or quarantined. */
  async function areKnown(
    tx: Sql,
    tenantId: number,
    table: RecordTable,
    keys: readonly (string | number | null)[],
    at: (index: number) => Known | undefined,
  ): Promise<readonly boolean[]> {
    const since = await knownSince(tx, tenantId)
    const known = keys.map((_, i) => isKnown(at(i), since))
    const others = keys.flatMap((key, i) => (key === null || known[i] === true ? [] : [{ i, key: String(key) }]))
    const quarantined = await eachOf(others, ({ key }) => quarantine.knows(tx, tenantId, table, key))
    for (const [n, { i }] of others.entries()) known[i] = quarantined[n] === true
    return known
  }

  return {
    async commitPage(page) {
      if (isIdle(page)) return { admitted: true, counts: noCounts, ...nothing }
      // A page that only moves the cursor changes no record.
      const change = page.items.length > 0 || page.whole !== undefined ? page : 'nothing'
      return database.write(change, (tx) => commit(tx, page))
    },
    commitDetail: ({ item, ...detail }) => database.write(detail, (tx) => supply(tx, detail, item)),
    knownKeys: (tenantId, resource, ids) =>
      database.read(async (tx) => {
        const { table, find } = writer(resource)
        const keys = ids.map(table.keyOf)
        const found = await find(tx, tenantId, keys)
        const known = await areKnown(tx, tenantId, table, keys, (i) => found.get(keys[i] ?? ''))
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

function isIdle(page: PageCommit): boolean {
  return page.items.length === 0 && page.fullSync === undefined && page.cursor === undefined && page.whole === undefined
}

/** A tombstone first seen before `since` belongs to another tenant (docs/sync.md#tenant-identity). */
function isKnown(known: Known | undefined, since: number): boolean {
  return known !== undefined && (!known.removed || known.firstSeenAt >= since)
}
