import type { WalkRow } from '../mirror/port.ts'
import { SyncError } from '../model/errors.ts'
import { type HeldPages, heldPages } from './held-pages.ts'
import { idOf, queryAt } from './page-reading.ts'
import { pageRules } from './page-rules.ts'
import { decideRemovals } from './removals.ts'
import type { Fetched, WalkResource } from './resource.ts'
import { fetchVerified, type Run } from './run.ts'
import { suspectEmpty } from './suspect-empty.ts'

/** Waits before an empty page is asked for again, in milliseconds. */
const repollDelaysMs = [1000, 2000, 4000]

interface Pass {
  readonly ids: ReadonlySet<string>
  /** True when no record was shown, not even one whose id cannot be read. */
  readonly empty: boolean
  /** True when the list ended with an empty later page, which may mean "could not be completed". */
  readonly endedEmpty: boolean
}

/**
 * Walks a list whose cursor is good within one walk only, and in which emptiness and an ignored cursor look like
 * success (specification: List API clients; contract: Empty api-clients).
 */
export async function walkList(run: Run, definition: WalkResource): Promise<void> {
  run.mode = 'sweep'
  const { context, tenantId, state } = run
  const { store } = context
  const pages = heldPages(run)
  run.dataAsOf = pages.begun.at
  const first = await pages.over(() => onePass(run, definition, pages))
  if (isWhole(run, first) && (await pages.confirm())) {
    await run.walkCompleted()
    return
  }
  const walk = await pages.release()
  if (first.endedEmpty) {
    const second = await onePass(run, definition, heldPages(run, walk))
    if (!sameIds(first.ids, second.ids)) {
      throw await suspectEmpty(
        context,
        tenantId,
        definition.name,
        'An empty page ends the list, and a second walk shows other records',
      )
    }
  }
  if (first.empty && !state.emptyAccepted) {
    throw await suspectEmpty(context, tenantId, definition.name)
  }
  await insistOnOwnClient(run, first.ids)
  const refusal = await decideRemovals(run, await currentWalk(run, walk), 'two-walks')
  await store.liftHold(tenantId, definition.name, 'suspect_empty')
  if (!first.empty && state.emptyAccepted) await store.noteSync(tenantId, definition.name, { emptyAccepted: false })
  if (refusal !== null) throw refusal
}

/** True when nothing about the list asks for more than its records do. */
function isWhole({ context }: Run, { ids, empty, endedEmpty }: Pass): boolean {
  const own = context.settings.ownClientId?.toLowerCase() ?? null
  return !empty && !endedEmpty && (own === null || ids.has(own))
}

async function currentWalk({ context, tenantId, definition }: Run, walk: WalkRow): Promise<WalkRow> {
  return (await context.store.openWalk(tenantId, definition.name)) ?? walk
}

async function onePass(run: Run, definition: WalkResource, pages: HeldPages): Promise<Pass> {
  const rules = pageRules({ maxPages: run.context.settings.api.maxPages })
  const ids = new Set<string>()
  let cursor: string | null = null
  let empty = true
  for (let index = 0; ; index++) {
    const fetched = await readPage(run, definition, cursor, pages.isFirst || index === 0)
    noteIds(fetched, definition, ids, index)
    await rules.check(fetched, cursor)
    await pages.add(fetched, cursor)
    empty &&= fetched.items.length === 0
    if (!fetched.hasMore) return { ids, empty, endedEmpty: index > 0 && fetched.items.length === 0 }
    cursor = fetched.nextCursor
  }
}

/** A page that is empty at the end of the list is asked for again before it is believed. */
async function readPage(run: Run, definition: WalkResource, cursor: string | null, repoll: boolean): Promise<Fetched> {
  const { reader, clock } = run.context
  const query = queryAt(cursor)
  const ask = () => fetchVerified(run, () => definition.fetch(reader, query, run.signal), query)
  let fetched = await ask()
  for (const delay of repoll && !run.state.emptyAccepted ? repollDelaysMs : []) {
    if (fetched.items.length > 0 || fetched.hasMore) break
    await clock.sleep(delay, run.signal)
    fetched = await ask()
  }
  return fetched
}

/**
 * More than half of a page seen before in this walk: the cursor was ignored and the list began anew. One repeat that
 * ends the list is none: a list that began anew would promise more, as its first page did.
 */
function noteIds(page: Fetched, definition: WalkResource, ids: Set<string>, index: number): void {
  const { hasMore } = page
  const keys = idsOn(page, definition)
  const repeats = keys.filter((key) => ids.has(key)).length
  if (index > 0 && repeats * 2 > keys.length && (repeats > 1 || hasMore)) {
    throw new SyncError(
      'invalid_cursor',
      `The tenant ignores the cursor of ${definition.name} and begins the list anew`,
    )
  }
  for (const key of keys) ids.add(key)
}

function idsOn({ items }: Fetched, { idField }: WalkResource): readonly string[] {
  const shown = items.map((item) => idOf(item, idField)).filter((id) => id !== null)
  return shown.map((id) => String(id).toLowerCase())
}

/** The list always contains the client that asks (specification: API client); one that does not is not complete. */
async function insistOnOwnClient({ context, tenantId, definition }: Run, ids: ReadonlySet<string>): Promise<void> {
  const { store, clock, settings } = context
  const { name } = definition
  const own = settings.ownClientId?.toLowerCase() ?? null
  if (own === null || ids.has(own)) {
    await store.liftHold(tenantId, name, 'tenant_changed')
    return
  }
  const message = `The list of ${name} does not contain ownClientId ${own}: is the setting outdated, or was that client rotated?`
  const cause = { check: 'own-client', ownClientId: own }
  const hold = { tenantId, resource: name, reason: 'tenant_changed', count: ids.size, message, cause } as const
  await store.raiseHold({ ...hold, at: clock.now() })
  throw new SyncError('tenant_changed', message, {
    hint: 'Set ownClientId to the client that this daemon uses now, or give back the token of that client',
  })
}

function sameIds(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((id) => b.has(id))
}
