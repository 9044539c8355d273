import { storableField } from '../api/decode/withheld.ts'
import type { AnswerMeta, FeedQuery, Fetched, Oddity } from '../api/reader.ts'
import { knownValues, type TenantSettings } from '../config/settings.ts'
import type { AnsweredAt, CommitCounts, FullSyncAdvance, FullSyncRow, SyncState } from '../mirror/port.ts'
import { type ContractEventKind, contractEventMeanings } from '../model/contract-events.ts'
import { hourMs } from '../model/durations.ts'
import { isRefusedRequest, SyncError } from '../model/errors.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import type { TenantContext } from './context.ts'
import { cursorDigest } from './pages/page-rules.ts'
import type { TenantGuard } from './tenant-guard.ts'

/** Failures of an optional request that end the run: after a stale or foreign answer the run cannot succeed. */
export const endsRun: ReadonlySet<Reason> = new Set(['aborted', 'internal', 'stale_answer', 'store', 'tenant_changed'])

/** After these failures no further optional request of the run makes sense. */
export const endsAsking: ReadonlySet<Reason> = new Set([
  ...endsRun,
  'missing_permission',
  'rate_limited',
  'unauthorized',
])

export interface Run {
  readonly context: TenantContext
  readonly tenantId: number
  readonly guard: TenantGuard
  readonly definition: ResourceDefinition
  readonly signal: AbortSignal
  readonly startedAt: number
  /** When the engine opened the tenant. */
  readonly opened: Moment
  readonly state: SyncState
  mode: SyncMode
  pages: number
  counts: CommitCounts
  /** Start of the data of this run; for a resumed full sync, before the run itself. */
  dataAsOf: number
  /** Server time at the start of what reached the end of the feed; null while nothing did. */
  reachedEndServerTime: number | null
  /** How long the full sync had run before this run began or resumed it at the monotonic time `since`. */
  readInFull: { readonly beforeMs: number; readonly since: number }
  answered: AnsweredAt | null
  /** Changes when an operator's decision on the whole tenant is applied. */
  readonly decisionVersion: () => number
  closed: boolean
  confirmed: number
  proven: boolean
  shownById: boolean
  /** An answer by id contradicts the list, which none did before. */
  contradicted: boolean
  /** By kind, each field with what the log names. */
  readonly events: Map<ContractEventKind, Map<string, string>>
  readonly fullSyncCompleted: () => Promise<void>
}

export interface PageRequest {
  /** Returns the answer to an earlier request on the first call. */
  readonly ask?: () => Promise<Fetched>
  /** The page was read before, so that a 400 is no loss of the cursor. */
  readonly isRepeated?: boolean
}

/** Fetches until the identity is verified; nothing else is written. A refusal of a feed's cursor is `invalid_cursor`. */
export async function fetchPage(
  run: Run,
  query: FeedQuery,
  { ask = () => run.context.reader.fetch(run.definition, query, run.signal), isRepeated = false }: PageRequest = {},
): Promise<Fetched> {
  const { definition, guard, signal } = run
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      const fetched = await ask()
      const { serverTime, receivedAt: at } = fetched.meta
      run.answered = { serverTime, at }
      noteAnswer(run, fetched.meta)
      if (!(await guard.verify(fetched, definition, query, signal))) continue
      noteOddities(run, fetched.oddities ?? [])
      return fetched
    }
  } catch (error) {
    const losesCursor = definition.kind === 'feed' && query.cursor !== undefined && !isRepeated
    if (!losesCursor || !isRefusedRequest(error)) throw error
    throw new SyncError('invalid_cursor', `The tenant refuses the cursor of ${definition.name}`, {
      cause: error,
      status: error.status,
    })
  }
  throw new SyncError('unauthorized', 'The credential keeps changing while the tenant is read')
}

/** An instant in wall time and monotonic time, in milliseconds. */
export interface Moment {
  readonly at: number
  readonly since: number
}

export function momentOf({ clock }: TenantContext): Moment {
  return { at: clock.now(), since: clock.monotonic() }
}

/** What the local clock would show had it not been set since the engine opened the tenant. */
export function unsetNow({ context, opened }: Run): number {
  return opened.at + context.clock.monotonic() - opened.since
}

/** Begins a full sync whose first page was requested at `begun`, dropping an open one; `again`: its list moved. */
export function beginFullSync(
  run: Run,
  cursorBefore: string | null,
  { begun = momentOf(run.context), again = false } = {},
): Promise<FullSyncRow> {
  const { context, tenantId, definition } = run
  run.readInFull = { beforeMs: 0, since: begun.since }
  return context.store.startFullSync({ tenantId, resource: definition.name, at: begun.at, cursorBefore, again })
}

/** Duration of the full sync so far, in milliseconds, independent of changes of the wall clock. */
export function fullSyncMs({ context, readInFull }: Run): number {
  return Math.round(readInFull.beforeMs + context.clock.monotonic() - readInFull.since)
}

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

export function noteProgress(run: Run, counts: CommitCounts, records: number): void {
  const { observer, settings } = run.context
  run.pages++
  run.counts = added(run.counts, counts)
  observer.page(settings.name, run.definition.name, run.pages, records)
}

/** Limits memory when a tenant sends arbitrary field names. */
const mostEvents = 2000

const mostNamed = 10

export function noteEvent(run: Run, kind: ContractEventKind, field: string, detail?: string): void {
  const fields = run.events.get(kind) ?? new Map<string, string>()
  const total = [...run.events.values()].reduce((sum, { size }) => sum + size, 0)
  if (fields.has(field) || total >= mostEvents) return
  run.events.set(kind, fields.set(field, oddityWords(field, detail)))
  const { observer, settings } = run.context
  observer.contractEvent(settings.name, run.definition.name, kind)
}

export function noteAnswer(run: Run, { oddities = [] }: AnswerMeta): void {
  noteOddities(run, oddities)
}

/** When each deviation of a resource was logged, by the monotonic clock: known ones are logged again after an hour. */
export type LoggedEvents = Map<ResourceName, ReadonlyMap<string, number>>

export function logEvents({ events, context, definition }: Run, logged: LoggedEvents): void {
  if (events.size === 0) return
  const isAllNamed = [...events.values()].every(({ size }) => size <= mostNamed)
  const counts = Object.fromEntries([...events].map(([kind, { size }]) => [kind, size]))
  const fields = Object.fromEntries([...events].map(([kind, names]) => [kind, [...names.values()].slice(0, mostNamed)]))
  const at = context.clock.monotonic()
  const recent = [...(logged.get(definition.name) ?? [])].filter(([, loggedAt]) => at - loggedAt < hourMs)
  const known = new Map(recent.slice(-mostEvents))
  const found = [...events].flatMap(([kind, names]) => [...names.values()].map((name) => `${kind} ${name}`))
  const isKnown = found.every((one) => known.has(one))
  if (!isKnown) logged.set(definition.name, new Map([...known, ...found.map((one) => [one, at] as const)]))
  const meanings = [...events.keys()].map((kind) => contractEventMeanings[kind])
  const hint = [...meanings, 'See docs/runbooks/TenantwatchContractChanged.md'].join('. ')
  const write = isKnown ? context.log.debug : context.log.warn
  write(
    { resource: definition.name, ...(isAllNamed ? {} : { counts }), fields, hint },
    "The tenant's API deviates from its specification",
  )
}

/** Such as `state ("Locked", users.knownStates)`. */
export function oddityWords(field: string, detail: string | undefined): string {
  return detail === undefined ? field : `${field} (${detail})`
}

const maxRemembered = 100
const mostOfValue = 60

interface Read {
  readonly definition: ResourceDefinition
  readonly context: Pick<TenantContext, 'settings'>
}

export function odditiesOf({ definition, context }: Read, { items }: Pick<Fetched, 'items'>): readonly Oddity[] {
  const listed = listedFields(definition, context.settings)
  const unstated = unstatedFields(definition)
  const found = new Map<string, Oddity>()
  const note = (oddity: Oddity) => found.set(`${oddity.kind} ${oddity.field}`, oddity)
  for (const item of items) {
    if (!item.ok) continue
    for (const oddity of item.oddities) note(oddity)
    for (const { field, known, setting } of listed) {
      const value: unknown = Reflect.get(item.record, field)
      if (typeof value === 'string' && !known.includes(value))
        note({ kind: 'unknown_value', field, detail: `${shortened(storableField(field, value))}, ${setting}` })
    }
    for (const field of unstated) {
      if (Reflect.get(item.record, field) !== null) note({ kind: 'unknown_value', field })
    }
  }
  return [...found.values()]
}

/** Fields that a list has as null, whatever the record. */
const shortened = (value: unknown) => JSON.stringify(String(value).slice(0, mostOfValue))

function unstatedFields({ fields }: ResourceDefinition): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => ('unstatedInList' in field ? [name] : []))
}

function listedFields({ fields }: ResourceDefinition, settings: TenantSettings) {
  return Object.entries(fields).flatMap(([field, { kind, ...rules }]) => {
    if (kind !== 'text' || !('known' in rules) || rules.known === undefined || !('setting' in rules.known)) return []
    return [{ field, known: knownValues(settings, rules.known), setting: rules.known.setting }]
  })
}

/** False for a page with so many deviations that they are not stored: it is read each time. */
export function canRemember(oddities: readonly Oddity[]): boolean {
  return oddities.length <= maxRemembered
}

export function noteOddities(run: Run, oddities: readonly Oddity[]): void {
  for (const { kind, field, detail } of oddities) noteEvent(run, kind, field, detail)
}

function added(a: CommitCounts, b: CommitCounts): CommitCounts {
  return {
    created: a.created + b.created,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    removed: a.removed + b.removed,
    quarantined: a.quarantined + b.quarantined,
  }
}

export const noCounts: CommitCounts = { created: 0, updated: 0, unchanged: 0, removed: 0, quarantined: 0 }
