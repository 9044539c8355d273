import type { Fetched } from '../../api/reader.ts'
import { SyncError } from '../../model/errors.ts'
import { ownClientCause, ownClientRemedy } from '../../model/holds.ts'
import type { PagedListResource } from '../../model/resource.ts'
import type { FullSyncRow } from '../../store/port.ts'
import { ownIdOn, raiseHold } from '../context.ts'
import { noteEvent } from '../contract-events.ts'
import { commitPage } from '../pages/commit-page.ts'
import { cursorIgnored, idTextOf, idTextsOn, pageRules, queryAt } from '../pages/page-rules.ts'
import { decideRemovals, newlyAbsent } from '../removals/removals.ts'
import { beginFullSync, fetchPage, fullSyncAfter, momentOf, type Run } from '../run.ts'
import { emptyList, repeatDelaysMs, suspectEmpty } from './suspect-empty.ts'

interface Pass {
  readonly records: number
  readonly ids: Set<string>
  /** True if an announced page was empty, which may mean "could not be completed". */
  readonly hasGap: boolean
}

type Commit = (page: Fetched) => Promise<void>

/** Full sync of a list that may be empty after an error, or ignore its cursor (docs/internals/sync.md#4-whole-full-sync). */
export async function fullSyncOfList(run: Run, definition: PagedListResource): Promise<void> {
  run.mode = 'full'
  const { context, tenantId, state } = run
  const { store } = context
  const begun = momentOf(context)
  run.dataAsOf = begun.at
  let fullSync: FullSyncRow | null = null
  const pass = await readPass(run, definition, async (page) => {
    fullSync ??= await beginFullSync(run, null, begun)
    const next = fullSyncAfter(run, fullSync, page)
    await commitPage(run, page, { fullSync: { id: fullSync.id, next } })
    fullSync = next
  })
  const ended = await openFullSync(run)
  if (pass.records === 0 && state.emptyAccepted !== 'list') throw await suspectEmpty(run, emptyList)
  // What was accepted is a list without any.
  if (pass.records > 0 && state.emptyAccepted === 'list')
    await store.withdrawAcceptedRemovals(tenantId, definition.name)
  if (pass.records > 0 && pass.hasGap) await assertComplete(run, definition, ended, pass)
  await readSkipped(run, definition, ended, pass)
  await assertListsSelf(run, definition, pass.ids)
  // Read again: the second reading may have made it not whole.
  const refusal = await decideRemovals(run, await openFullSync(run))
  for (const reason of ['suspect_empty', 'tenant_changed'] as const)
    await store.liftHold(tenantId, definition.name, reason)
  const isSettled = state.emptyAccepted === 'list' ? pass.records > 0 : !pass.hasGap
  if (state.emptyAccepted !== null && isSettled)
    await store.noteSync(tenantId, definition.name, { emptyAccepted: null })
  if (refusal !== null) throw refusal
}

/** Reads once more if live clients are missing: another one's removal may have moved them to a page that was already read. */
async function readSkipped(run: Run, definition: PagedListResource, { id }: FullSyncRow, { ids }: Pass): Promise<void> {
  if (newlyAbsent(await run.context.store.absence(id, run.seen)).length === 0) return
  await readPass(run, definition, async (page) => {
    // The others may have changed meanwhile, which is no contradiction.
    const items = page.items.filter((item) => !ids.has(idTextOf(item, definition.idField) ?? ''))
    for (const key of idTextsOn(page, definition)) ids.add(key)
    await commitPage(run, { ...page, items }, { fullSync: { id } })
  })
}

async function openFullSync({ context, tenantId, definition }: Run): Promise<FullSyncRow> {
  const open = await context.store.openFullSync(tenantId, definition.name)
  // A decision of an operator ends open full syncs; the next run reads the list again.
  if (open === null) throw new SyncError('aborted', `The list of ${definition.name} was read before a decision`)
  return open
}

async function readPass(run: Run, definition: PagedListResource, commit: Commit): Promise<Pass> {
  const rules = pageRules(run.context.settings.api.maxPages)
  const ids = new Set<string>()
  let records = 0
  let hasGap = false
  let cursor: string | null = null
  for (let index = 0; ; index++) {
    const page: Fetched = await readPage(run, cursor)
    const keys = idTextsOn(page, definition)
    const repeated = keys.filter((key) => ids.has(key)).length
    if (repeated > 0) noteEvent(run, 'order_violation', 'pages')
    for (const key of keys) ids.add(key)
    records += page.items.length
    const isIgnored = repeated * 2 > keys.length
    if (!isIgnored) rules.check(page, cursor)
    await commit(page)
    // Only now: the page may contradict records of an earlier one.
    if (isIgnored) throw cursorIgnored(definition)
    hasGap ||= page.items.length === 0 && (index > 0 || page.hasMore)
    if (!page.hasMore) return { records, ids, hasGap }
    cursor = page.nextCursor
  }
}

/** Reads a page. An empty one is requested again before it counts. */
async function readPage(run: Run, cursor: string | null): Promise<Fetched> {
  let fetched = await fetchPage(run, queryAt(cursor))
  for (const delay of run.state.emptyAccepted === null ? repeatDelaysMs : []) {
    if (fetched.items.length > 0) break
    await run.context.clock.sleep(delay, run.signal)
    fetched = await fetchPage(run, queryAt(cursor))
  }
  return fetched
}

/**
 * A list whose announced page is empty is complete if it has every live record and the ids of the last complete one, or
 * if a second reading ends the same way.
 */
async function assertComplete(
  run: Run,
  definition: PagedListResource,
  { id }: FullSyncRow,
  { ids }: Pass,
): Promise<void> {
  const { context, tenantId, state } = run
  const { absent } = await context.store.absence(id, run.seen)
  const missing = absent.filter(({ accepted }) => !accepted).map(({ rid }) => rid)
  if (missing.length > 0) {
    const { live } = await context.store.syncState(tenantId, definition.name)
    const message = `A page of ${definition.name} that was announced came back empty, and ${missing.length} of ${live} are gone`
    throw await suspectEmpty(run, { emptiness: 'announced-page', message, count: missing.length, rids: missing })
  }
  if (state.emptyAccepted === 'announced-page') return
  if (run.counts.created === 0 && state.completeStartedAt !== null) return
  const second = await readPass(run, definition, async () => {})
  const isSame = second.hasGap && second.ids.size === ids.size && [...ids].every((one) => second.ids.has(one))
  if (isSame) return
  throw new SyncError('protocol', `An announced page of ${definition.name} is empty, and a second reading differs`)
}

/** A list without the requesting client is incomplete (docs/internals/api.md#api-client). */
async function assertListsSelf(run: Run, definition: PagedListResource, ids: ReadonlySet<string>): Promise<void> {
  const { context } = run
  const { name } = definition
  const own = ownIdOn(context, definition)
  if (own === null || ids.has(own)) return
  const message = `The list of ${name} does not contain ownClientId ${own}: the setting is outdated, or that client was rotated`
  const cause = ownClientCause(own)
  const hold = { resource: name, reason: 'tenant_changed', count: ids.size, message, cause } as const
  throw await raiseHold(run, hold, ownClientRemedy)
}
