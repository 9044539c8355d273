import type { AnswerMeta, FeedQuery, Fetched, Oddity } from '../api/reader.ts'
import type { TenantSettings } from '../config/settings.ts'
import type { AnsweredAt, CommitCounts, FullSyncAdvance, FullSyncRow, SyncState } from '../mirror/port.ts'
import type { ContractEventKind } from '../model/contract-events.ts'
import { SyncError } from '../model/errors.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import type { SyncMode } from '../model/resource-names.ts'
import type { TenantContext } from './context.ts'
import { cursorDigest } from './pages/page-rules.ts'
import type { TenantGuard } from './tenant-guard.ts'

/** One run of one resource while it is under way: what every way of running needs and adds to. */
export interface Run {
  readonly context: TenantContext
  readonly tenantId: number
  readonly guard: TenantGuard
  readonly definition: ResourceDefinition
  readonly signal: AbortSignal
  readonly startedAt: number
  /** As it stood when the run began. */
  readonly state: SyncState
  mode: SyncMode
  pages: number
  counts: CommitCounts
  /** Start of the data this run brought, for a resumed full sync before the run itself. */
  dataAsOf: number
  /** Server time at the start of what reached the end of the feed; null while nothing did. */
  reachedEndServerTime: number | null
  /** How long its full sync had been under way when it was begun or taken up, at the monotonic time `since`. */
  readInFull: { readonly beforeMs: number; readonly since: number }
  /** Time of the last answer that may be used. */
  answered: AnsweredAt | null
  /** Another number when an operator's decision on the whole tenant was carried out meanwhile. */
  readonly decisionVersion: () => number
  /** True when its success was stored with what it brought. */
  closed: boolean
  /** How many missing records it has asked for. */
  confirmed: number
  /** True once a proof of the tenant's identity succeeded in this run, or a page had a known GUID. */
  proven: boolean
  /** True once the tenant showed a record by id in this run. */
  shownById: boolean
  /** Fields of each kind of deviation from the contract. */
  readonly events: Map<ContractEventKind, Set<string>>
  /** To be called when a complete full sync of the resource was written. */
  readonly fullSyncCompleted: () => Promise<void>
}

/**
 * Fetches until the answer's identity is one the tenant guard has verified; nothing else may reach the mirror. An answer
 * read under an older identity is asked for again.
 */
export async function fetchVerified(run: Run, fetch: () => Promise<Fetched>, query: FeedQuery): Promise<Fetched> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const fetched = await fetch()
    const { serverTime, receivedAt: at } = fetched.meta
    run.answered = { serverTime, at }
    noteAnswer(run, fetched.meta)
    const verified = await run.guard.verify(fetched, run.definition, query, run.signal)
    if (!verified) continue
    for (const { kind, field } of fetched.oddities ?? []) noteEvent(run, kind, field)
    return fetched
  }
  throw new SyncError('unauthorized', 'The credential keeps changing while the tenant is read')
}

/** An instant by both clocks, in milliseconds: the one that tells the time, and the one that nobody sets. */
export interface Moment {
  readonly at: number
  readonly since: number
}

export function momentOf({ clock }: TenantContext): Moment {
  return { at: clock.now(), since: clock.monotonic() }
}

/**
 * Begins a full sync from the beginning, whose first page was asked for at `begun`; one that is open is dropped.
 *
 * @param options.again true when its list moved while it was read.
 */
export function beginFullSync(
  run: Run,
  cursorBefore: string | null,
  { begun = momentOf(run.context), again = false } = {},
): Promise<FullSyncRow> {
  const { context, tenantId, definition } = run
  run.readInFull = { beforeMs: 0, since: begun.since }
  return context.store.startFullSync({ tenantId, resource: definition.name, at: begun.at, cursorBefore, again })
}

/** How long the full sync of this run has been under way, in milliseconds, wherever the wall clock was set meanwhile. */
export function fullSyncMs({ context, readInFull }: Run): number {
  return Math.round(readInFull.beforeMs + context.clock.monotonic() - readInFull.since)
}

/** What a page moves its full sync on by; the first one tells of its start. */
export function advanceOf(run: Run, { nextCursor, hasMore, meta }: Fetched, isFirst: boolean): FullSyncAdvance {
  const { serverTime, requestId } = meta
  return {
    nextCursor,
    cursorDigest: nextCursor === null ? null : cursorDigest(nextCursor),
    reachedEnd: !hasMore,
    fullSyncMs: fullSyncMs(run),
    ...(isFirst && { start: { serverTime, requestId } }),
  }
}

/** Takes stock of a page that was written. */
export function noteProgress(run: Run, counts: CommitCounts, records: number): void {
  const { observer, settings } = run.context
  run.pages++
  run.counts = added(run.counts, counts)
  observer.page(settings.name, run.definition.name, run.pages, records)
}

/** A tenant that makes up names of fields must not fill the memory. */
const mostEvents = 2000

/** So many fields of a kind are named in the log. */
const mostNamed = 10

/** Counts a deviation from the contract, once a kind and field and run, and at most 2,000 a run. */
export function noteEvent(run: Run, kind: ContractEventKind, field: string): void {
  const fields = run.events.get(kind) ?? new Set()
  const total = [...run.events.values()].reduce((sum, { size }) => sum + size, 0)
  if (fields.has(field) || total >= mostEvents) return
  run.events.set(kind, fields.add(field))
  const { observer, settings } = run.context
  observer.contractEvent(settings.name, run.definition.name, kind)
}

/** Counts what is odd about the id and the time of an answer. */
export function noteAnswer(run: Run, { oddities = [] }: AnswerMeta): void {
  for (const { kind, field } of oddities) noteEvent(run, kind, field)
}

/** Logs the deviations of a run in one line: how many fields of each kind, and the first of them. */
export function logEvents({ events, context, definition }: Run): void {
  if (events.size === 0) return
  const counts = Object.fromEntries([...events].map(([kind, fields]) => [kind, fields.size]))
  const fields = Object.fromEntries([...events].map(([kind, names]) => [kind, [...names].slice(0, mostNamed)]))
  context.log.warn({ resource: definition.name, counts, fields }, 'The tenant deviates from the known contract')
}

/** So many deviations of one page are remembered with it. */
const maxRemembered = 100

/** What deviates from the contract in a page's records, each once. */
export function odditiesOf({ definition, context }: Run, { items }: Pick<Fetched, 'items'>): readonly Oddity[] {
  const listed = listedFields(definition, context.settings)
  const found = new Map<string, Oddity>()
  const note = (oddity: Oddity) => found.set(`${oddity.kind} ${oddity.field}`, oddity)
  for (const item of items) {
    if (!item.ok) continue
    for (const oddity of item.oddities) note(oddity)
    for (const { field, known } of listed) {
      const value: unknown = Reflect.get(item.record, field)
      if (typeof value === 'string' && !known.includes(value)) note({ kind: 'unknown_value', field })
    }
  }
  return [...found.values()]
}

/** The fields whose known values the configuration lists. */
function listedFields({ fields }: ResourceDefinition, settings: TenantSettings) {
  return Object.entries(fields).flatMap(([field, { kind, ...rules }]) => {
    if (kind !== 'text' || !('known' in rules) || rules.known === undefined || !('setting' in rules.known)) return []
    const [section, key] = rules.known.setting
    return [{ field, known: settings[section][key] }]
  })
}

/** False where a page deviates in so many ways that it must be read each time. */
export function canRemember(oddities: readonly Oddity[]): boolean {
  return oddities.length <= maxRemembered
}

export function noteOddities(run: Run, oddities: readonly Oddity[]): void {
  for (const { kind, field } of oddities) noteEvent(run, kind, field)
}

export function added(a: CommitCounts, b: CommitCounts): CommitCounts {
  return {
    created: a.created + b.created,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    removed: a.removed + b.removed,
    quarantined: a.quarantined + b.quarantined,
  }
}

export const noCounts: CommitCounts = { created: 0, updated: 0, unchanged: 0, removed: 0, quarantined: 0 }
