import { isDeepStrictEqual } from 'node:util'
import type { Fetched, Item } from '../../api/reader.ts'
import { minuteMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import { ownClientCause, ownClientRemedy } from '../../model/hold-remedy.ts'
import type { PagedListResource } from '../../model/resource.ts'
import type { FullSyncRow } from '../../store/port.ts'
import { ownIdOn } from '../context.ts'
import { noteEvent } from '../contract-events.ts'
import { contradiction, isSame, noteContradiction } from '../pages/confirm-answer.ts'
import { cursorIgnored, idTextOf, idTextsOn, pageRules, queryAt } from '../pages/page-rules.ts'
import { fullSyncsToRemove } from '../removals/confirm-by-time.ts'
import { decideRemovals } from '../removals/removals.ts'
import { fetchPage, type Run } from '../run.ts'
import { type PageBuffer, pageBuffer } from './page-buffer.ts'
import { emptyList, repeatDelaysMs, suspectEmpty } from './suspect-empty.ts'

interface Pass {
  readonly ids: ReadonlySet<string>
  readonly empty: boolean
  /** True if an announced page was empty, which may mean "could not be completed". */
  readonly gap: boolean
  readonly changed: boolean
  /** True if a page repeated records other than the last ones of the previous page: others may be on no page. */
  readonly scrambled: boolean
  /** True if all pages before the empty one have the same number of records, as full pages do. */
  readonly even: boolean
}

/** Full sync of a list that may be empty after an error, or ignore its cursor (docs/sync.md#empty-lists). */
export async function fullSyncOfList(run: Run, definition: PagedListResource): Promise<void> {
  run.mode = 'full'
  const { context, guard, tenantId, state } = run
  const { store } = context
  const begin = async () => {
    const pages = pageBuffer(run)
    run.dataAsOf = pages.begun.at
    return { pages, first: await pages.releaseOnError(() => onePass(run, pages)) }
  }
  let { pages, first } = await begin()
  if ((first.changed || first.scrambled) && pages.isUnwritten()) ({ pages, first } = await begin())
  if (isWhole(run, definition, first)) {
    const isDoubted = guard.contradicted.has(definition.name)
    if (isDoubted) await insistOnOneState(run, definition, pages)
    const isConfirmed = await pages.confirm()
    if (!isDoubted && !isConfirmed) await insistOnOneState(run, definition, pages)
    guard.contradicted.delete(definition.name)
    if (isConfirmed) {
      await run.fullSyncCompleted()
      return
    }
  }
  const fullSync = await pages.release()
  if (first.scrambled) throw scrambled(definition)
  if (first.empty) {
    if (state.emptyAccepted !== 'list') throw await suspectEmpty(run, 'list', emptyList)
  } else if (first.gap) {
    await insistOnNothingMissing(run, fullSync, first, await onePass(run, pageBuffer(run, fullSync)))
  }
  await insistOnSelf(run, definition, first.ids)
  const removesNone =
    !first.gap && (await losesSome(run, fullSync)) && !(await agreesWith(first, run, definition, fullSync))
  const current = await currentFullSync(run, fullSync)
  const refusal = await decideRemovals(run, current, { rule: 'two-full-syncs', removesNone })
  await store.liftHold(tenantId, definition.name, 'suspect_empty')
  const isSettled = state.emptyAccepted === 'list' ? !first.empty : !first.gap
  if (state.emptyAccepted !== null && isSettled) {
    await store.noteSync(tenantId, definition.name, { emptyAccepted: null })
  }
  if (refusal !== null) throw refusal
}

function isWhole(run: Run, definition: PagedListResource, { ids, empty, gap, scrambled }: Pass): boolean {
  const own = ownIdOn(run.context, definition)
  return !empty && !gap && !scrambled && (own === null || ids.has(own))
}

async function currentFullSync({ context, tenantId, definition }: Run, fullSync: FullSyncRow): Promise<FullSyncRow> {
  return (await context.store.openFullSync(tenantId, definition.name)) ?? fullSync
}

const mostReadings = 3

/** Reads a list that differs from the mirror again: servers behind one address may have different data. */
async function insistOnOneState(run: Run, definition: PagedListResource, pages: PageBuffer): Promise<void> {
  const { guard, state } = run
  if (state.completeStartedAt === null || guard.passing || !pages.isUnwritten()) return
  const idOf = (item: Item) => idTextOf(item, definition.idField)
  const known = new Map(pages.items().map((item) => [idOf(item), item]))
  const add = async ({ items }: Fetched) => {
    const second = items.filter((item) => known.has(idOf(item)))
    const first = second.flatMap((item) => known.get(idOf(item)) ?? [])
    if (isSame({ items: first, hasMore: false }, { items: second, hasMore: false }, definition)) return
    noteContradiction(run)
    throw contradiction('Two readings of the list of', [{ items: first }, { items: second }], definition)
  }
  for (let reading = guard.troubled ? mostReadings : 1; reading > 0; reading--) {
    await onePass(run, { isFirst: false, isUnwritten: () => true, showsOther: () => false, add })
  }
}

type PageSink = Pick<PageBuffer, 'add' | 'isFirst' | 'isUnwritten' | 'showsOther'>

async function onePass(run: Run, pages: PageSink): Promise<Pass> {
  const rules = pageRules({ maxPages: run.context.settings.api.maxPages })
  const ids = new Set<string>()
  const sizes = new Set<number>()
  let cursor: string | null = null
  let empty = true
  let gap = false
  let changed = false
  let scrambled = false
  let before: readonly string[] = []
  for (let index = 0; ; index++) {
    const fetched = await readPage(run, cursor, pages.isFirst || index === 0)
    const keys = idTextsOn(fetched, run.definition)
    const repeated = keys.filter((key) => ids.has(key))
    const isOther = repeated.length > 0 && pages.showsOther(fetched, repeated)
    if (repeated.length * 2 > keys.length && !(isOther && pages.isUnwritten())) throw cursorIgnored(run.definition)
    // Records with equal sort keys may change pages, so that another client is on no page.
    if (repeated.length > 0) noteEvent(run, 'order_violation', 'pages')
    for (const key of keys) ids.add(key)
    scrambled ||= !isDeepStrictEqual(keys.slice(0, repeated.length), before.slice(before.length - repeated.length))
    before = keys
    changed ||= isOther
    await rules.check(fetched, cursor)
    await pages.add(fetched, cursor)
    const isEmpty = fetched.items.length === 0
    empty &&= isEmpty
    gap ||= isEmpty && (index > 0 || fetched.hasMore)
    if (!gap) sizes.add(fetched.items.length)
    if (!fetched.hasMore) return { ids, empty, gap, changed, scrambled, even: sizes.size <= 1 }
    cursor = fetched.nextCursor
  }
}

/** Reads a page. An empty one at the end of the list is requested again before it counts. */
async function readPage(run: Run, cursor: string | null, readAgain: boolean): Promise<Fetched> {
  const { clock } = run.context
  let fetched = await fetchPage(run, queryAt(cursor))
  for (const delay of readAgain && run.state.emptyAccepted === null ? repeatDelaysMs : []) {
    if (fetched.items.length > 0 || fetched.hasMore) break
    await clock.sleep(delay, run.signal)
    fetched = await fetchPage(run, queryAt(cursor))
  }
  return fetched
}

async function losesSome({ context }: Run, { id }: FullSyncRow): Promise<boolean> {
  const { absent } = await context.store.absence(id)
  return absent.some(({ accepted, fullSyncs }) => !accepted && fullSyncs >= fullSyncsToRemove)
}

/**
 * Reads the list once more, because a deletion during the reading can move another record to a page that was already
 * read. False if the records differ: it may have happened again, so nothing is removed.
 */
async function agreesWith(
  first: Pass,
  run: Run,
  definition: PagedListResource,
  fullSync: FullSyncRow,
): Promise<boolean> {
  const again = await onePass(run, pageBuffer(run, fullSync))
  if (again.scrambled) throw scrambled(definition)
  if (again.empty) throw await suspectEmpty(run, 'list', emptyList)
  if (again.gap) throw new SyncError('protocol', `A second reading of the list of ${definition.name} was not complete`)
  const agrees = sameIds(first.ids, again.ids)
  if (!agrees) noteEvent(run, 'order_violation', 'readings')
  return agrees
}

function scrambled({ name }: PagedListResource): SyncError {
  return new SyncError('protocol', `The list of ${name} shows records on several pages, so others may be on none`)
}

/**
 * Accepts a list with an empty announced page if two passes agree on ids and page sizes and no client is missing. The
 * first full sync also needs an earlier run with the same end.
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

/** True if an earlier run, at least a minute ago, also ended with an empty page: required for a first list. */
async function endedSoBefore({ context, tenantId, definition }: Run, shown: number): Promise<boolean> {
  const holds = await context.store.holds(tenantId)
  const before = holds.find(
    ({ resource, cause }) => resource === definition.name && 'shown' in cause && cause.shown === shown,
  )
  return before !== undefined && Math.abs(context.clock.now() - before.raisedAt) >= minuteMs
}

/** A list without the requesting client is incomplete (docs/api.md#api-client). */
async function insistOnSelf(run: Run, definition: PagedListResource, ids: ReadonlySet<string>): Promise<void> {
  const { context, tenantId } = run
  const { store, clock } = context
  const { name } = definition
  const own = ownIdOn(context, definition)
  if (own === null || ids.has(own)) {
    await store.liftHold(tenantId, name, 'tenant_changed')
    return
  }
  const message = `The list of ${name} does not contain ownClientId ${own}: the setting is outdated, or that client was rotated`
  const cause = ownClientCause(own)
  const hold = { tenantId, resource: name, reason: 'tenant_changed', count: ids.size, message, cause } as const
  await store.raiseHold({ ...hold, at: clock.now() })
  throw new SyncError('tenant_changed', message, {
    hint: ownClientRemedy,
  })
}

function sameIds(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((id) => b.has(id))
}
