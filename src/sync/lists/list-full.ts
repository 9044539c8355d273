import type { Fetched } from '../../api/reader.ts'
import type { FullSyncRow } from '../../mirror/port.ts'
import { minuteMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import { ownClientRemedy } from '../../model/hold-remedy.ts'
import type { PagedListResource, ResourceDefinition } from '../../model/resource.ts'
import { type PageBuffer, pageBuffer } from '../feeds/page-buffer.ts'
import { idOf, queryAt } from '../pages/page-reading.ts'
import { pageRules } from '../pages/page-rules.ts'
import { decideRemovals } from '../removals/removals.ts'
import { fetchVerified, noteEvent, type Run } from '../run.ts'
import { emptyList, repeatDelaysMs, suspectEmpty } from './suspect-empty.ts'

interface Pass {
  readonly ids: ReadonlySet<string>
  /** True when no record was shown, not even one whose id cannot be read. */
  readonly empty: boolean
  /** True when a page that the one before it announced came back empty, which may mean "could not be completed". */
  readonly gap: boolean
  /** True when a client was on two pages with different values: the list changed while it was read. */
  readonly changed: boolean
  /** True when all pages before that one have the same number of records, as full pages do. */
  readonly even: boolean
}

/**
 * Full syncs a list whose cursor is good within one full sync only, and in which emptiness and an ignored cursor look
 * like success (docs/sync.md#empty-lists).
 */
export async function fullSyncOfList(run: Run, definition: PagedListResource): Promise<void> {
  run.mode = 'full'
  const { context, tenantId, state } = run
  const { store } = context
  const begin = async () => {
    const pages = pageBuffer(run)
    run.dataAsOf = pages.begun.at
    return { pages, first: await pages.over(() => onePass(run, definition, pages)) }
  }
  let { pages, first } = await begin()
  if (first.changed && pages.isUnwritten()) ({ pages, first } = await begin())
  if (isWhole(run, definition, first) && (await pages.confirm())) {
    await run.fullSyncCompleted()
    return
  }
  const fullSync = await pages.release()
  if (first.empty) {
    if (state.emptyAccepted !== 'list') throw await suspectEmpty(run, 'list', emptyList)
  } else if (first.gap) {
    await insistOnNothingMissing(run, fullSync, first, await onePass(run, definition, pageBuffer(run, fullSync)))
  }
  await insistOnSelf(run, definition, first.ids)
  const refusal = await decideRemovals(run, await currentFullSync(run, fullSync), 'two-full-syncs')
  await store.liftHold(tenantId, definition.name, 'suspect_empty')
  const isSettled = state.emptyAccepted === 'list' ? !first.empty : !first.gap
  if (state.emptyAccepted !== null && isSettled) {
    await store.noteSync(tenantId, definition.name, { emptyAccepted: null })
  }
  if (refusal !== null) throw refusal
}

/** True when nothing about the list asks for more than its records do. */
function isWhole(run: Run, definition: PagedListResource, { ids, empty, gap }: Pass): boolean {
  const own = selfOn(run, definition)
  return !empty && !gap && (own === null || ids.has(own))
}

/** The id that a complete list contains; null where it is not configured, or none. */
function selfOn({ context }: Run, { self }: PagedListResource): string | null {
  return self === null ? null : (context.settings.ownClientId?.toLowerCase() ?? null)
}

async function currentFullSync({ context, tenantId, definition }: Run, fullSync: FullSyncRow): Promise<FullSyncRow> {
  return (await context.store.openFullSync(tenantId, definition.name)) ?? fullSync
}

async function onePass(run: Run, definition: PagedListResource, pages: PageBuffer): Promise<Pass> {
  const rules = pageRules({ maxPages: run.context.settings.api.maxPages })
  const ids = new Set<string>()
  const sizes = new Set<number>()
  let cursor: string | null = null
  let empty = true
  let gap = false
  let changed = false
  for (let index = 0; ; index++) {
    const fetched = await readPage(run, definition, cursor, pages.isFirst || index === 0)
    const repeated = noteIds(run, fetched, ids, index)
    changed ||= repeated.length > 0 && pages.showsOther(fetched, repeated)
    await rules.check(fetched, cursor)
    await pages.add(fetched, cursor)
    const isEmpty = fetched.items.length === 0
    empty &&= isEmpty
    // Also an empty page that promises more was to show something.
    gap ||= isEmpty && (index > 0 || fetched.hasMore)
    if (!gap) sizes.add(fetched.items.length)
    if (!fetched.hasMore) return { ids, empty, gap, changed, even: sizes.size <= 1 }
    cursor = fetched.nextCursor
  }
}

/** A page that is empty at the end of the list is asked for again before it is believed. */
async function readPage(
  run: Run,
  definition: PagedListResource,
  cursor: string | null,
  readAgain: boolean,
): Promise<Fetched> {
  const { reader, clock } = run.context
  const query = queryAt(cursor)
  const ask = () => fetchVerified(run, () => reader.fetch(definition, query, run.signal), query)
  let fetched = await ask()
  for (const delay of readAgain && run.state.emptyAccepted === null ? repeatDelaysMs : []) {
    if (fetched.items.length > 0 || fetched.hasMore) break
    await clock.sleep(delay, run.signal)
    fetched = await ask()
  }
  return fetched
}

/**
 * More than half of a page seen before in this full sync: the cursor was ignored and the list began again. One repeat that
 * ends the list is none: a list that began again would promise more, as its first page did.
 *
 * @returns the ids that an earlier page had, too.
 */
function noteIds(run: Run, page: Fetched, ids: Set<string>, index: number): readonly string[] {
  const { definition } = run
  const { hasMore } = page
  const keys = idsOn(page, definition)
  const repeated = keys.filter((key) => ids.has(key))
  const repeats = repeated.length
  if (index > 0 && repeats * 2 > keys.length && (repeats > 1 || hasMore)) {
    throw new SyncError(
      'invalid_cursor',
      `The tenant ignores the cursor of ${definition.name} and begins the list again`,
    )
  }
  // A tie of the order, perhaps, and then another client may be on no page.
  if (repeats > 0) noteEvent(run, 'order_violation', 'pages')
  for (const key of keys) ids.add(key)
  return repeated
}

function idsOn({ items }: Fetched, { idField }: ResourceDefinition): readonly string[] {
  const shown = items.map((item) => idOf(item, idField)).filter((id) => id !== null)
  return shown.map((id) => String(id).toLowerCase())
}

/**
 * Decides on a list in which an announced page came back empty, from two passes over it. It is complete if both show the
 * same ids on pages of one size, no live client is missing, and, of a first full sync, one before it ended so; an operator
 * may accept it, and the removal of the missing.
 */
async function insistOnNothingMissing(run: Run, fullSync: FullSyncRow, first: Pass, second: Pass): Promise<void> {
  const { context, tenantId, definition, state } = run
  const { absent } = await context.store.absence(fullSync.id)
  const missing = absent.filter(({ accepted }) => !accepted).map(({ rid }) => rid)
  const full = first.even && second.even && sameIds(first.ids, second.ids)
  const believed = full && (state.completeStartedAt !== null || (await endedSoBefore(run, first.ids.size)))
  if (missing.length === 0 && (believed || state.emptyAccepted === 'announced-page')) return
  const shown = full && state.completeStartedAt === null ? { shown: first.ids.size } : {}
  const count = missing.length
  const gone =
    count === 0 ? '' : `, and ${count} of ${await context.store.liveCount(tenantId, definition.name)} are gone`
  const message = `A page of ${definition.name} that was announced came back empty${gone}`
  throw await suspectEmpty(run, 'announced-page', { message, count, rids: missing, ...shown })
}

/** A first list that ends so may be one that could not be completed: it must end so again, at least a minute later. */
async function endedSoBefore({ context, tenantId, definition }: Run, shown: number): Promise<boolean> {
  const holds = await context.store.holds(tenantId)
  const before = holds.find(({ resource, cause }) => resource === definition.name && cause['shown'] === shown)
  return before !== undefined && Math.abs(context.clock.now() - before.raisedAt) >= minuteMs
}

/** The list always contains the client that asks (docs/api.md#api-client); one that does not is not complete. */
async function insistOnSelf(run: Run, definition: PagedListResource, ids: ReadonlySet<string>): Promise<void> {
  const { context, tenantId } = run
  const { store, clock } = context
  const { name } = definition
  const own = selfOn(run, definition)
  if (own === null || ids.has(own)) {
    await store.liftHold(tenantId, name, 'tenant_changed')
    return
  }
  const message = `The list of ${name} does not contain ownClientId ${own}: is the setting outdated, or was that client rotated?`
  const cause = { check: 'own-client', ownClientId: own }
  const hold = { tenantId, resource: name, reason: 'tenant_changed', count: ids.size, message, cause } as const
  await store.raiseHold({ ...hold, at: clock.now() })
  throw new SyncError('tenant_changed', message, {
    hint: ownClientRemedy,
  })
}

function sameIds(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((id) => b.has(id))
}
