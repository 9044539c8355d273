import { hash } from 'node:crypto'
import type { Fetched, Oddity } from '../../api/reader.ts'
import type { FullSyncRow, PageCommit } from '../../mirror/port.ts'
import { isoMs } from '../../model/dates.ts'
import { dayMs } from '../../model/durations.ts'
import { reasonOf } from '../../model/errors.ts'
import type { FeedResource } from '../../model/resource.ts'
import { idleLimitMs } from '../intervals.ts'
import { commit } from '../pages/commit-page.ts'
import { queryAt } from '../pages/page-reading.ts'
import { PageRefused, type PageRules, pageRules } from '../pages/page-rules.ts'
import {
  advanceOf,
  beginFullSync,
  canRemember,
  noteEvent,
  noteOddities,
  noteProgress,
  odditiesOf,
  type Run,
} from '../run.ts'
import { cursorRefused } from './feed-reading.ts'
import { type PageWanted, pagesAhead } from './pages-ahead.ts'

/**
 * Full syncs the feed from its beginning, or from where an interrupted full sync stopped, to its end. A page is written while the
 * next one is on its way; one that shows what the last full sync showed in its place is noted as seen without being read.
 */
export async function readToEnd(run: Run, definition: FeedResource): Promise<FullSyncRow> {
  const { log } = run.context
  const reading = readingOf(run)
  await using ahead = pagesAhead(run, definition)
  let fullSync = await openOrStart(run, definition)
  let wanted = await nextWanted(run, fullSync, reading)
  let rules = rulesFor(run, fullSync)
  let order: number | null = null
  let restarted = false
  while (!fullSync.reachedEnd) {
    let page: Fetched
    try {
      page = await ahead.take(wanted)
    } catch (error) {
      // What replays one old answer may have given the earlier pages, too.
      if (reasonOf(error) === 'stale_answer') await run.context.store.dropFullSync(fullSync.id)
      if (!cursorRefused(error) || restarted) throw error
      restarted = true
      log.warn(
        { resource: definition.name, page: fullSync.pages },
        'A cursor was refused in mid-full sync; reading again',
      )
      fullSync = await beginFullSync(run, fullSync.cursorBefore)
      wanted = await nextWanted(run, fullSync, reading)
      rules = rulesFor(run, fullSync)
      order = null
      continue
    }
    await insistOnRules(run, rules, fullSync, page)
    const next = fullSyncAfter(fullSync, page)
    const nextPage = await nextWanted(run, next, reading)
    if (!next.reachedEnd) await ahead.begin(nextPage)
    // Another run may have raised a hold while this one waited.
    run.guard.insist()
    const written = await write(run, definition, { fullSync, page, wanted, reading })
    if (written === null) {
      wanted = { ...wanted, known: null }
      continue
    }
    order = noteOrder(run, written, order)
    fullSync = next
    wanted = nextPage
  }
  return fullSync
}

async function openOrStart(run: Run, definition: FeedResource): Promise<FullSyncRow> {
  const { context, tenantId, state } = run
  const { store, clock, log } = context
  const open = await store.openFullSync(tenantId, definition.name)
  const now = clock.now()
  if (open !== null && Math.abs(now - open.progressAt) - open.waitMs <= idleLimitMs(context, state)) {
    if (open.pages > 0)
      log.info({ resource: definition.name, pages: open.pages }, 'Going on with an interrupted full sync')
    // Of a first full sync only the first page needs a proof.
    run.proven ||= open.pages > 0 && state.completeStartedAt === null
    run.readInFull = { beforeMs: open.fullSyncMs + Math.abs(now - open.progressAt), since: clock.monotonic() }
    return open
  }
  const { cursor } = await store.syncState(tenantId, definition.name)
  return beginFullSync(run, cursor)
}

function rulesFor({ context }: Run, fullSync: FullSyncRow) {
  const { pages, emptyPages, id } = fullSync
  const seenBefore = pages === 0 ? {} : { seenBefore: (digest: string) => context.store.cursorSeen(id, digest) }
  return pageRules({ maxPages: context.settings.api.maxPages, pages, emptyPages, ...seenBefore })
}

/**
 * A page that breaks the rules is thrown away, and a server that advances with each request would go on behind it: the
 * full sync is dropped, and the next run begins again.
 */
async function insistOnRules({ context }: Run, rules: PageRules, fullSync: FullSyncRow, page: Fetched): Promise<void> {
  try {
    await rules.check(page, fullSync.nextCursor)
  } catch (error) {
    if (error instanceof PageRefused) await context.store.dropFullSync(fullSync.id)
    throw error
  }
}

/** Changes with what a page's records are read into, and with what is noted of a page. */
const readingVersion = 2

/** What a page comes to may hang on the configuration, so under another one every page is read. */
function readingOf({ context }: Run): string {
  return hash('sha256', JSON.stringify([readingVersion, context.settings]), 'base64url')
}

/** The first page is always read: it tells whose data these are. */
async function nextWanted(run: Run, { nextCursor, pages }: FullSyncRow, reading: string): Promise<PageWanted> {
  const { context, tenantId, definition } = run
  const known = nextCursor === null ? null : context.store.knownPage(tenantId, definition.name, pages + 1, reading)
  return { cursor: nextCursor, known: await known }
}

function fullSyncAfter(fullSync: FullSyncRow, { items, nextCursor, hasMore, meta }: Fetched): FullSyncRow {
  return {
    ...fullSync,
    ...(fullSync.pages === 0 ? { startServerTime: meta.serverTime, startRequestId: meta.requestId } : {}),
    pages: fullSync.pages + 1,
    nextCursor: hasMore ? nextCursor : null,
    lastCursor: nextCursor ?? fullSync.lastCursor,
    reachedEnd: !hasMore,
    unreadable: fullSync.unreadable || items.some((item) => !item.ok && item.id === null),
  }
}

interface PageOfFullSync {
  readonly fullSync: FullSyncRow
  readonly page: Fetched
  readonly wanted: PageWanted
  readonly reading: string
}

/** Null when the page is a known one whose records have changed since: it must be read. */
async function write(run: Run, definition: FeedResource, parts: PageOfFullSync): Promise<FeedOrder | null> {
  const { fullSync, page, wanted, reading } = parts
  const step = { id: fullSync.id, advance: advanceOf(run, page, fullSync.pages === 0) }
  if (wanted.known !== null && page.same === true) {
    const { tenantId, context } = run
    const { digest, records } = wanted.known
    const note = JSON.parse(wanted.known.note) as PageNote
    // The server's clock was set back: dates that were plausible then may not be now.
    if (page.meta.serverTime !== null && page.meta.serverTime + dayMs < note.serverTime) return null
    const number = fullSync.pages + 1
    const memory = { tenantId, resource: definition.name, page: number, digest, reading }
    const result = await context.store.commitKnownPage({ ...memory, at: page.meta.receivedAt, fullSync: step })
    if (result === null) return null
    // It shows just what the mirror holds, known GUIDs included.
    if (definition.identifiedBy === 'guid') run.proven = true
    noteProgress(run, result.counts, records)
    noteOddities(run, note.oddities)
    return note.order
  }
  const order = orderWithin(definition, page)
  const oddities = odditiesOf(run, page)
  const remember = toRemember(page, { order, oddities, serverTime: page.meta.serverTime ?? 0 }, reading)
  await commit(run, page, queryAt(fullSync.nextCursor), { fullSync: step, ...remember }, oddities)
  return order
}

/** What each run notes of a page, also where it is not read again. */
interface PageNote {
  readonly order: FeedOrder
  readonly oddities: readonly Oddity[]
  /** By which its dates were plausible, in milliseconds since the epoch. */
  readonly serverTime: number
}

/** Without a server time no date was compared with it, so the page must be read again. */
function toRemember({ digest = null, meta }: Fetched, note: PageNote, reading: string): Pick<PageCommit, 'remember'> {
  if (digest === null || meta.serverTime === null || !canRemember(note.oddities)) return {}
  return { remember: { digest, reading, note: JSON.stringify(note) } }
}

/** The times by which a page is ordered, in milliseconds since the epoch; null where none of its records has one. */
interface FeedOrder {
  readonly first: number | null
  readonly last: number | null
  /** False when a record comes before one that it should follow. */
  readonly kept: boolean
}

function orderWithin({ orderedBy }: FeedResource, { items }: Fetched): FeedOrder {
  let first: number | null = null
  let last: number | null = null
  let kept = true
  for (const item of items) {
    const next = item.ok && orderedBy !== undefined ? isoMs(Reflect.get(item.record, orderedBy)) : null
    if (next === null) continue
    if (last !== null && next < last) kept = false
    first ??= next
    last = next
  }
  return { first, last, kept }
}

/**
 * Notes a page that breaks the order of its feed.
 *
 * @param before where the page before it ended.
 * @returns where this one ends.
 */
function noteOrder(run: Run, { first, last, kept }: FeedOrder, before: number | null): number | null {
  if (!kept || (first !== null && before !== null && first < before)) noteEvent(run, 'order_violation', 'order')
  return last ?? before
}
