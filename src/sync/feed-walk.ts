import { hash } from 'node:crypto'
import type { PageCommit, WalkAdvance, WalkRow } from '../mirror/port.ts'
import { dayMs } from '../model/durations.ts'
import { reasonOf } from '../model/errors.ts'
import type { Oddity } from '../tenant/reader.ts'
import { commit } from './commit-page.ts'
import { type FeedOrder, noteOrder, orderWithin } from './feed-order.ts'
import { cursorRefused } from './feed-reading.ts'
import { queryAt } from './page-reading.ts'
import { cursorDigest, PageRefused, type PageRules, pageRules } from './page-rules.ts'
import { type PageWanted, pagesAhead } from './pages-ahead.ts'
import type { FeedResource, Fetched } from './resource.ts'
import { idleLimitMs } from './rhythm.ts'
import { beginWalk, canRemember, noteOddities, noteProgress, odditiesOf, type Run, walkedMs } from './run.ts'

/**
 * Walks the feed from its beginning, or from where an interrupted walk stopped, to its end. A page is written while the
 * next one is on its way; one that shows what the last walk showed in its place is noted as seen without being read.
 */
export async function walkToEnd(run: Run, definition: FeedResource): Promise<WalkRow> {
  const { log } = run.context
  const reading = readingOf(run)
  await using ahead = pagesAhead(run, definition)
  let walk = await openOrStart(run, definition)
  let wanted = await nextWanted(run, walk, reading)
  let rules = rulesFor(run, walk)
  let order: number | null = null
  let restarted = false
  while (!walk.reachedEnd) {
    let page: Fetched
    try {
      page = await ahead.take(wanted)
    } catch (error) {
      // What replays one old answer may have given the earlier pages, too.
      if (reasonOf(error) === 'stale_answer') await run.context.store.dropWalk(walk.id)
      if (!cursorRefused(error) || restarted) throw error
      restarted = true
      log.warn({ resource: definition.name, page: walk.pages }, 'A cursor was refused in mid-walk; walking anew')
      walk = await beginWalk(run, walk.cursorBefore)
      wanted = await nextWanted(run, walk, reading)
      rules = rulesFor(run, walk)
      order = null
      continue
    }
    await insistOnRules(run, rules, walk, page)
    const next = walkAfter(walk, page)
    const nextPage = await nextWanted(run, next, reading)
    if (!next.reachedEnd) await ahead.begin(nextPage)
    // Another run may have raised a hold while this one waited.
    run.guard.insist()
    const written = await write(run, definition, { walk, page, wanted, reading })
    if (written === null) {
      wanted = { ...wanted, known: null }
      continue
    }
    order = noteOrder(run, written, order)
    walk = next
    wanted = nextPage
  }
  return walk
}

async function openOrStart(run: Run, definition: FeedResource): Promise<WalkRow> {
  const { context, tenantId, state } = run
  const { store, clock, log } = context
  const open = await store.openWalk(tenantId, definition.name)
  const now = clock.now()
  if (open !== null && Math.abs(now - open.progressAt) - open.waitMs <= idleLimitMs(context, state)) {
    if (open.pages > 0) log.info({ resource: definition.name, pages: open.pages }, 'Going on with an interrupted sweep')
    // Of a first full sync only the first page needs a proof.
    run.proven ||= open.pages > 0 && state.completeStartedAt === null
    run.walked = { beforeMs: open.walkedMs + Math.abs(now - open.progressAt), since: clock.monotonic() }
    return open
  }
  const { cursor } = await store.syncState(tenantId, definition.name)
  return beginWalk(run, cursor)
}

function rulesFor({ context }: Run, walk: WalkRow) {
  const { pages, emptyPages, id } = walk
  const seenBefore = pages === 0 ? {} : { seenBefore: (digest: string) => context.store.cursorSeen(id, digest) }
  return pageRules({ maxPages: context.settings.api.maxPages, pages, emptyPages, ...seenBefore })
}

/**
 * A page that breaks the rules is thrown away, and a server that advances with each request would go on behind it: the
 * walk is dropped, and the next run begins anew.
 */
async function insistOnRules({ context }: Run, rules: PageRules, walk: WalkRow, page: Fetched): Promise<void> {
  try {
    await rules.check(page, walk.nextCursor)
  } catch (error) {
    if (error instanceof PageRefused) await context.store.dropWalk(walk.id)
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
async function nextWanted(run: Run, { nextCursor, pages }: WalkRow, reading: string): Promise<PageWanted> {
  const { context, tenantId, definition } = run
  const known = nextCursor === null ? null : context.store.knownPage(tenantId, definition.name, pages + 1, reading)
  return { cursor: nextCursor, known: await known }
}

function walkAfter(walk: WalkRow, { items, nextCursor, hasMore, meta }: Fetched): WalkRow {
  return {
    ...walk,
    ...(walk.pages === 0 ? { startServerTime: meta.serverTime, startRequestId: meta.requestId } : {}),
    pages: walk.pages + 1,
    nextCursor: hasMore ? nextCursor : null,
    lastCursor: nextCursor ?? walk.lastCursor,
    reachedEnd: !hasMore,
    unreadable: walk.unreadable || items.some((item) => !item.ok && item.id === null),
  }
}

interface PageOfWalk {
  readonly walk: WalkRow
  readonly page: Fetched
  readonly wanted: PageWanted
  readonly reading: string
}

/** Null when the page is a known one whose records have changed since: it must be read. */
async function write(run: Run, definition: FeedResource, parts: PageOfWalk): Promise<FeedOrder | null> {
  const { walk, page, wanted, reading } = parts
  const step = { id: walk.id, advance: advanceOf(run, walk, page) }
  if (wanted.known !== null && page.same === true) {
    const { tenantId, context } = run
    const { digest, records } = wanted.known
    const note = JSON.parse(wanted.known.note) as PageNote
    // The server's clock was set back: dates that were plausible then may not be now.
    if (page.meta.serverTime !== null && page.meta.serverTime + dayMs < note.serverTime) return null
    const number = walk.pages + 1
    const memory = { tenantId, resource: definition.name, page: number, digest, reading }
    const result = await context.store.commitKnownPage({ ...memory, at: page.meta.receivedAt, walk: step })
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
  await commit(run, page, queryAt(walk.nextCursor), { walk: step, ...remember }, oddities)
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

function advanceOf(run: Run, { pages }: WalkRow, { nextCursor, hasMore, meta }: Fetched): WalkAdvance {
  const start = { serverTime: meta.serverTime, requestId: meta.requestId }
  const digest = nextCursor === null ? null : cursorDigest(nextCursor)
  const step = { nextCursor, cursorDigest: digest, reachedEnd: !hasMore, walkedMs: walkedMs(run) }
  return { ...step, ...(pages === 0 ? { start } : {}) }
}
