import type { WalkRow } from '../mirror/port.ts'
import { confirmMissing } from './confirm-missing.ts'
import { cursorRefused, fetchFeedPage, readFeed } from './feed-reading.ts'
import { cursorDigest, pageRules } from './page-rules.ts'
import { decideRemovals } from './removals.ts'
import type { FeedResource, Fetched } from './resource.ts'
import { idleLimitMs } from './rhythm.ts'
import { commit, noteEvent, type Run } from './run.ts'
import { readDetails } from './user-details.ts'

/**
 * Walks the feed from its beginning to its end, going on where an interrupted walk stopped (contract: Walks). Ends with
 * the poll from the cursor of before, the decision on removals and the walk's own last cursor.
 *
 * @param extra true for the sweep that follows a skipped row; it starts no further one.
 */
export async function sweepFeed(run: Run, definition: FeedResource, extra = false): Promise<void> {
  run.mode = 'sweep'
  const ended = await walkToEnd(run, definition)
  run.dataAsOf = ended.startedAt
  run.reachedEndServerTime = ended.startServerTime
  await pollFromBefore(run, definition, ended)
  // The poll, too, may have shown a record without a readable id.
  const walk = (await run.context.store.openWalk(run.tenantId, definition.name)) ?? ended
  const held = await decideRemovals(run, walk, definition.removal)
  if (definition.removal === 'confirm' && !walk.unreadable) {
    const skipped = await confirmMissing(run, definition, held !== null)
    if (skipped && !extra) {
      await sweepFeed(run, definition, true)
      return
    }
  }
  await readDetails(run, definition, true)
  if (held !== null) throw held
}

async function walkToEnd(run: Run, definition: FeedResource): Promise<WalkRow> {
  const { context, tenantId } = run
  const { store, clock, log } = context
  let walk = await openOrStart(run, definition)
  let restarted = false
  let rules = rulesFor(run, walk)
  let lastOrder: number | null = null
  while (!walk.reachedEnd) {
    const query = walk.nextCursor === null ? {} : { cursor: walk.nextCursor }
    let page: Fetched
    try {
      page = await fetchFeedPage(run, definition, query)
    } catch (error) {
      if (!cursorRefused(error) || restarted) throw error
      restarted = true
      log.warn({ resource: definition.name, page: walk.pages }, 'A cursor was refused in mid-walk; walking anew')
      walk = await store.startWalk({
        tenantId,
        resource: definition.name,
        at: clock.now(),
        cursorBefore: walk.cursorBefore,
      })
      rules = rulesFor(run, walk)
      lastOrder = null
      continue
    }
    await rules.check(page, walk.nextCursor)
    lastOrder = noteOrder(run, definition, page, lastOrder)
    walk = await advance(run, walk, page)
  }
  return walk
}

async function openOrStart(run: Run, definition: FeedResource): Promise<WalkRow> {
  const { context, tenantId, state } = run
  const { store, clock, log } = context
  const open = await store.openWalk(tenantId, definition.name)
  const now = clock.now()
  if (open !== null && Math.abs(now - open.progressAt) <= idleLimitMs(context, state)) {
    log.info({ resource: definition.name, pages: open.pages }, 'Going on with an interrupted sweep')
    return open
  }
  const { cursor } = await store.syncState(tenantId, definition.name)
  return store.startWalk({ tenantId, resource: definition.name, at: now, cursorBefore: cursor })
}

function rulesFor({ context }: Run, walk: WalkRow) {
  const { pages, emptyPages, id } = walk
  const seenBefore = pages === 0 ? {} : { seenBefore: (digest: string) => context.store.cursorSeen(id, digest) }
  return pageRules({ maxPages: context.settings.api.maxPages, pages, emptyPages, ...seenBefore })
}

async function advance(run: Run, walk: WalkRow, page: Fetched): Promise<WalkRow> {
  const { nextCursor, hasMore, meta } = page
  const first = walk.pages === 0
  const start = { serverTime: meta.serverTime, requestId: meta.requestId }
  const step = {
    nextCursor,
    cursorDigest: nextCursor === null ? null : cursorDigest(nextCursor),
    reachedEnd: !hasMore,
    ...(first ? { start } : {}),
  }
  await commit(run, page, walk.nextCursor, { walk: { id: walk.id, advance: step } })
  return {
    ...walk,
    ...(first ? { startServerTime: meta.serverTime, startRequestId: meta.requestId } : {}),
    pages: walk.pages + 1,
    nextCursor: hasMore ? nextCursor : null,
    lastCursor: nextCursor ?? walk.lastCursor,
    reachedEnd: !hasMore,
    unreadable: walk.unreadable || page.items.some((item) => !item.ok && item.id === null),
  }
}

/** What changed behind the walk while it ran shows from the cursor stored before it. */
async function pollFromBefore(run: Run, definition: FeedResource, walk: WalkRow): Promise<void> {
  if (walk.cursorBefore === null) return
  try {
    await readFeed(run, definition, { cursor: walk.cursorBefore }, () => ({ walk: { id: walk.id } }))
  } catch (error) {
    if (!cursorRefused(error)) throw error
  }
}

function noteOrder(run: Run, { orderOf }: FeedResource, { items }: Fetched, last: number | null): number | null {
  let order = last
  if (orderOf === undefined) return order
  for (const item of items) {
    const next = item.ok ? orderOf(item.record) : null
    if (next === null) continue
    if (order !== null && next < order) noteEvent(run, 'order_violation', 'order')
    order = next
  }
  return order
}
