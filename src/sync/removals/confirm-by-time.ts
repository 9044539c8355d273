import type { Item } from '../../api/reader.ts'
import { isoMs } from '../../model/dates.ts'
import { isRefusedRequest, reasonOf, SyncError } from '../../model/errors.ts'
import type { FeedWithTime, UpdatedAfter } from '../../model/resource.ts'
import type { AbsentRecord, FullSyncRow } from '../../store/port.ts'
import type { MirrorRecord } from '../../store/records/query.ts'
import { noteEvent } from '../contract-events.ts'
import { readFeed } from '../feeds/feed-reading.ts'
import { endsRun, type Run } from '../run.ts'

/** Consecutive full syncs that must lack a document before its removal is due. */
export const fullSyncsToRemove = 2

/** Subtracted from times, in milliseconds: servers may compare whole seconds, or exclude the instant itself. */
const marginMs = 1000

/** Most further answers, each read because the previous one ended in an announced empty page. */
const maxEarlier = 2

export interface TimeConfirmation {
  readonly unconfirmed: ReadonlySet<number>
  /** Due records that `updatedAfter` could not confirm twice in a row, so that a hold is raised. */
  readonly refused: ReadonlySet<number>
  /** Why `updatedAfter` cannot confirm the refused ones, if that is known. */
  readonly why?: string
}

/** Reads everything updated since the oldest due record (docs/sync.md#removal); a complete answer confirms removals. */
export async function confirmByTime(
  run: Run,
  definition: FeedWithTime,
  fullSync: FullSyncRow,
  due: readonly AbsentRecord[],
): Promise<TimeConfirmation> {
  const { store, log } = run.context
  const dates = definition.updatedAfter
  const asked = due.filter(({ accepted }) => !accepted)
  const { since: oldestTime, neverUpdated } = await oldest(run, dates, fullSync, asked)
  let answer: TimeAnswer
  try {
    answer = await readSince(run, definition, fullSync, oldestTime)
    for (let n = 0; n < maxEarlier && answer.announcedEmpty; n++) {
      const earlier = await newestBefore(run, dates, answer.since)
      if (earlier === null) break
      const next = await readSince(run, definition, fullSync, earlier)
      answer = { ...next, older: answer.older || next.older }
    }
  } catch (error) {
    if (endsRun.has(reasonOf(error))) throw error
    const unconfirmed = new Set(asked.map(({ rid }) => rid))
    const refused = isRefusedRequest(error)
    const detail = error instanceof SyncError ? error.message : null
    log.warn(
      { resource: definition.name, count: asked.length, reason: reasonOf(error), detail },
      'Removals could not be confirmed by updatedAfter; the records stay',
    )
    return { unconfirmed, refused: refused ? unconfirmed : new Set() }
  }
  const { since, before, older, announcedEmpty } = answer
  const absent = new Set((await store.absence(fullSync.id)).absent.map(({ rid }) => rid))
  for (const { rid, key } of asked) if (!absent.has(rid)) noteEvent(run, 'skipped_row', key)
  const { updated, neverUpdated: never } = await store.leftOut(fullSync.id, before, since)
  // An announced page that is empty may mean "could not be completed".
  const applied = !older && !announcedEmpty && updated.leftOut === 0
  // A server may leave out all records that were never updated: only an answer with others of them confirms that one is
  // gone.
  const includesNever = never.expected > 0 && never.leftOut === 0
  // The last document of a tenant has no other one as control.
  const isLast = (await store.liveCount(run.tenantId, definition.name)) === 1
  const includesUpdated = updated.expected > 0 || includesNever || isLast
  const unconfirmed = new Set<number>()
  const refused = new Set<number>()
  for (const { rid, fullSyncs } of asked) {
    if (applied && (neverUpdated.has(rid) ? includesNever : includesUpdated)) continue
    unconfirmed.add(rid)
    // Concurrent changes can make one answer incomplete, but not two in a row.
    if (older || fullSyncs > fullSyncsToRemove) refused.add(rid)
  }
  if (refused.size > 0) {
    log.warn({ resource: definition.name, count: refused.size }, 'The answer to updatedAfter cannot confirm removals')
  }
  const lacksControl = applied && refused.size > 0 && never.leftOut === never.expected
  return {
    unconfirmed,
    refused,
    ...(lacksControl ? { why: noControl(definition, updated.expected + never.expected) } : {}),
  }
}

function noControl({ name, nouns }: FeedWithTime, expected: number): string {
  return expected === 0
    ? `no other ${nouns[0]} belongs in its answer, so nothing shows that the tenant applies it`
    : `its answer contains none of the ${name} that were never updated`
}

interface TimeAnswer {
  readonly since: number
  /** State of the full sync before the answer was read. */
  readonly before: Awaited<ReturnType<Run['context']['store']['besideFullSync']>>
  /** True if it contains a record that was not updated since. */
  readonly older: boolean
  readonly announcedEmpty: boolean
}

async function readSince(
  run: Run,
  { updatedAfter: dates }: FeedWithTime,
  { id }: FullSyncRow,
  since: number,
): Promise<TimeAnswer> {
  const before = await run.context.store.besideFullSync(id)
  let older = false
  let announcedEmpty = false
  await readFeed(run, { updatedAfter: new Date(since).toISOString() }, ({ items, hasMore }, index) => {
    older ||= items.some((item) => isOlder(item, dates, since))
    announcedEmpty ||= index > 0 && items.length === 0 && !hasMore
    return { fullSync: { id } }
  })
  return { since, before, older, announcedEmpty }
}

/**
 * An earlier time, from which the answer contains more records and its pages end elsewhere: a server whose `hasMore`
 * means "the page is full" announces an empty page after a full last one. Null without earlier records.
 */
async function newestBefore(
  { context, tenantId, definition }: Run,
  dates: UpdatedAfter,
  since: number,
): Promise<number | null> {
  let newest = Number.NEGATIVE_INFINITY
  for await (const batch of context.store.records(tenantId).select(definition.name)) {
    for (const record of batch) {
      const touched = touchedAt(record, dates)
      if (touched < since) newest = Math.max(newest, touched)
    }
  }
  return Number.isFinite(newest) ? Math.max(0, newest - marginMs) : null
}

/** When a record was last updated, else created, in milliseconds since the epoch. */
function touchedAt({ times }: Pick<MirrorRecord, 'times'>, { updated, created }: UpdatedAfter): number {
  return times[`${updated}Ms`] ?? times[`${created}Ms`] ?? 0
}

function isOlder(item: Item, { updated }: UpdatedAfter, since: number): boolean {
  const updatedAt = item.ok ? isoMs(Reflect.get(item.record, updated)) : null
  return updatedAt !== null && updatedAt < since
}

interface Oldest {
  readonly since: number
  /** Due records that were never updated. */
  readonly neverUpdated: ReadonlySet<number>
}

/** Time of the oldest due record, or earlier, so that a complete answer also contains a listed record as control. */
async function oldest(
  { context, tenantId, definition }: Run,
  dates: UpdatedAfter,
  fullSync: FullSyncRow,
  due: readonly AbsentRecord[],
): Promise<Oldest> {
  const { store } = context
  const neverUpdated = new Set(due.map(({ rid }) => rid).filter((rid) => rid < 0))
  let since = neverUpdated.size > 0 ? 0 : Number.POSITIVE_INFINITY
  const byKey = new Map(due.map(({ rid, key }) => [key, rid]))
  for (const record of await store.records(tenantId).byKeys(definition.name, [...byKey.keys()])) {
    since = Math.min(since, touchedAt(record, dates))
    const rid = byKey.get(record.key)
    if (rid !== undefined && (record.times[`${dates.updated}Ms`] ?? null) === null) neverUpdated.add(rid)
  }
  const listed = await store.leftOut(fullSync.id, await store.besideFullSync(fullSync.id), Number.MIN_SAFE_INTEGER)
  const { newest } = listed.updated
  const newestNever = newest === null || neverUpdated.size > 0 ? listed.neverUpdated.newest : null
  return { since: Math.max(0, Math.min(since, newest ?? since, newestNever ?? since) - marginMs), neverUpdated }
}
