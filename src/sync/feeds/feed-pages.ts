import { hash } from 'node:crypto'
import type { Fetched, Oddity } from '../../api/reader.ts'
import { isoMs } from '../../model/dates.ts'
import { dayMs } from '../../model/durations.ts'
import type { FeedResource } from '../../model/resource.ts'
import type { FullSyncAdvance, FullSyncRow, PageCommit, PageFingerprint } from '../../store/port.ts'
import { canRemember, noteEvent, noteOddities, odditiesOf } from '../contract-events.ts'
import { idleLimitMs } from '../due.ts'
import { commitPage } from '../pages/commit-page.ts'
import { PageRefused, pageRules, queryAt } from '../pages/page-rules.ts'
import { advanceOf, beginFullSync, noteProgress, type Run } from '../run.ts'
import { cursorFails, cursorRefused, type PageWanted, pagesAhead } from './feed-reading.ts'

/** Reads the feed to its end, resuming an open full sync; requests each page while the previous one is written. */
export async function readToEnd(run: Run, definition: FeedResource): Promise<FullSyncRow> {
  const reading = readingOf(run)
  await using ahead = pagesAhead(run)
  let fullSync = await openOrStart(run, definition)
  let wanted = await nextWanted(run, fullSync, reading)
  let rules = rulesFor(run, fullSync)
  let order: number | null = null
  let restarted = false
  while (!fullSync.reachedEnd) {
    const page = await ahead.take(wanted).catch((error: unknown) => {
      rethrowUnlessRestartable(run, fullSync, error, restarted)
      return null
    })
    if (page === null) {
      restarted = true
      fullSync = await beginFullSync(run, fullSync.cursorBefore)
      wanted = await nextWanted(run, fullSync, reading)
      rules = rulesFor(run, fullSync)
      order = null
      continue
    }
    await rules.check(page, fullSync.nextCursor).catch((error) => dropRefused(run, fullSync, error))
    const next = fullSyncAfter(fullSync, page)
    const nextPage = await nextWanted(run, next, reading)
    if (!next.reachedEnd) await ahead.begin(nextPage)
    run.guard.insist()
    const step = { id: fullSync.id, advance: advanceOf(run, page, fullSync.pages === 0) }
    const known = page.same === true ? wanted.known : null
    const note =
      known === null ? noteOf(run, definition, page) : await confirmKnown(run, page, known, { step, next, reading })
    if (note === null) {
      wanted = { ...wanted, known: null }
      continue
    }
    if (known === null) {
      const remember = toRemember(page, note, reading)
      await commitPage(run, page, queryAt(fullSync.nextCursor), { fullSync: step, ...remember }, note.oddities)
    }
    order = noteOrder(run, note.order, order)
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
  const isIdle = open !== null && Math.abs(now - open.progressAt) - open.waitMs > idleLimitMs(context, state)
  // Begin again if the cursor fails: reading the list shows whether the tenant can be read without it.
  const isStuck = open?.reachedEnd === true && cursorFails(run)
  // Do not resume at the page limit, where it would fail again: the server may have repeated one page.
  if (open !== null && !isIdle && !isStuck && open.pages + 1 < context.settings.api.maxPages) {
    if (open.pages > 0) log.info({ resource: definition.name, pages: open.pages }, 'Resuming an interrupted full sync')
    // In the first full sync, only the first page needs a proof.
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

/** Returns if a cursor was refused for the first time, so that the list is read from its beginning; else throws. */
function rethrowUnlessRestartable(
  { context, definition }: Run,
  { pages }: FullSyncRow,
  error: unknown,
  restarted: boolean,
): void {
  if (!cursorRefused(error) || restarted) throw error
  context.log.warn(
    { resource: definition.name, page: pages },
    'A cursor was refused in the middle of a full sync; reading again',
  )
}

/** Drops the full sync after a page that breaks a rule: a server that advances with each request would skip it. */
async function dropRefused({ context }: Run, { id }: FullSyncRow, error: unknown): Promise<never> {
  if (error instanceof PageRefused) await context.store.dropFullSync(id)
  throw error
}

const readingVersion = 2

/** Digest of the configuration under which a page is read; with a different one every page is read again. */
function readingOf({ context }: Run): string {
  return hash('sha256', JSON.stringify([readingVersion, context.settings]), 'base64url')
}

/** The first page is always read, because it proves the identity of the tenant; so are all pages of a first full sync. */
async function nextWanted(run: Run, { nextCursor, pages }: FullSyncRow, reading: string): Promise<PageWanted> {
  const { context, tenantId, definition, guard, state } = run
  const isRead = nextCursor === null || state.completeStartedAt === null || guard.contradicted.has(definition.name)
  const known = isRead ? null : await context.store.knownPage(tenantId, definition.name, pages + 1, reading)
  return { cursor: nextCursor, known }
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

interface PageNote {
  readonly order: FeedOrder
  readonly oddities: readonly Oddity[]
  /** Server time with which the page's dates were compared, in milliseconds since the epoch. */
  readonly serverTime: number
}

function noteOf(run: Run, definition: FeedResource, page: Fetched): PageNote {
  return {
    order: orderWithin(definition, page),
    oddities: odditiesOf(run, page),
    serverTime: page.meta.serverTime ?? 0,
  }
}

interface KnownStep {
  readonly step: { readonly id: number; readonly advance: FullSyncAdvance }
  readonly next: FullSyncRow
  readonly reading: string
}

/** Null if the records of the known page have changed since, so that it must be decoded. */
async function confirmKnown(
  run: Run,
  { meta }: Fetched,
  known: PageFingerprint,
  { step, next, reading }: KnownStep,
): Promise<PageNote | null> {
  const { tenantId, context, definition } = run
  const note = JSON.parse(known.note) as PageNote
  // The server's clock was set back: dates that were plausible then may not be plausible now.
  if (meta.serverTime !== null && meta.serverTime + dayMs < note.serverTime) return null
  const memory = { tenantId, resource: definition.name, page: next.pages, digest: known.digest, reading }
  const result = await context.store.commitKnownPage({ ...memory, at: meta.receivedAt, fullSync: step })
  if (result === null) return null
  if (definition.identifiedBy === 'guid') run.proven = true
  noteProgress(run, result.counts, known.records)
  noteOddities(run, note.oddities)
  return note
}

/** A page without server time is not remembered, because its dates were not compared with one. */
function toRemember({ digest = null, meta }: Fetched, note: PageNote, reading: string): Pick<PageCommit, 'remember'> {
  if (digest === null || meta.serverTime === null || !canRemember(note.oddities)) return {}
  return { remember: { digest, reading, note: JSON.stringify(note) } }
}

/** First and last time on a page, in its order, in milliseconds since the epoch; null if no record has one. */
interface FeedOrder {
  readonly first: number | null
  readonly last: number | null
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

function noteOrder(run: Run, { first, last, kept }: FeedOrder, before: number | null): number | null {
  if (!kept || (first !== null && before !== null && first < before)) noteEvent(run, 'order_violation', 'order')
  return last ?? before
}
