import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type RecordedTenant, readRecord } from '../evaluate/configuration-record.ts'
import type { InputSnapshot } from '../evaluate/past-store.ts'
import { fullFreshnessLimitMs } from '../model/freshness.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import { highestFirst, type Severity } from '../model/severity.ts'
import { hourMs, isoOrNull, toIso } from '../model/time.ts'
import type { FindingCounts, Span } from '../model/trend.ts'
import {
  type EventRow,
  type FindingTimes,
  type FullSyncTimes,
  type PastReader,
  type TenantRow,
  type TenantState,
  type WaiverLapseFacts,
  type WaiverTermsFacts,
  waiverKinds,
} from '../store/port.ts'

/** A part of a period with one configuration of a tenant's resources; undefined = the configuration lacked the tenant. */
interface ConfiguredSpan extends Span {
  readonly resources: RecordedTenant['resources'] | undefined
}

/** By tenant, the parts of a period, in their order. */
export type ConfiguredSpans = ReadonlyMap<string, readonly ConfiguredSpan[]>

/** What happened to a tenant from `from` to `to`, by the stored history alone. */
export async function periodOf(past: PastReader, tenant: TenantRow, span: Span, configured: ConfiguredSpans) {
  return {
    findings: bySeverity(await past.findingTimes(tenant.id, span.from, true)),
    /** In force at some time of the period; `lapsed`: the findings that they no longer covered, because facts had changed. */
    waivers: waiversIn(await past.events({ tenantId: tenant.id, kinds: [...waiverKinds, 'waiver.lapsed'] }), span),
    holds: (await holdsIn(past, tenant.id, span)).map(({ resource, reason, count, raisedAt, until }) => {
      return { resource, reason, count, raised: toIso(raisedAt), ended: isoOrNull(until) }
    }),
    resources: (await gapsIn(past, tenant, span, configured)).map(({ resource, gaps, off }) => {
      return { resource, hoursWithoutData: hoursOf(gaps), hoursOff: hoursOf(off) }
    }),
  }
}

function hoursOf(spans: readonly Span[]): number {
  const ms = spans.reduce((sum, { from, to }) => sum + to - from, 0)
  return Math.round(ms / (hourMs / 10)) / 10
}

/** The most severe first. */
function bySeverity(times: readonly FindingTimes[]): readonly (FindingCounts & { readonly severity: Severity })[] {
  return highestFirst.map((severity) => {
    return { severity, ...findingCounts(times.filter((one) => one.severity === severity)) }
  })
}

export function findingCounts(times: readonly FindingTimes[]): FindingCounts {
  let [opened, resolved, fixed] = [0, 0, 0]
  const hours: number[] = []
  for (const { kind, at, resolution, openedAt, count } of times) {
    if (kind !== 'finding.resolved') opened += count
    else resolved += count
    if (resolution !== 'fixed') continue
    fixed += count
    if (openedAt === null || openedAt > at) continue
    for (let i = 0; i < count; i++) hours.push((at - openedAt) / hourMs)
  }
  return { opened, resolved, fixed, medianHoursToFix: medianOf(hours) }
}

function medianOf(hours: readonly number[]): number | null {
  const sorted = hours.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? null : Math.round((low + high) * 5000) / 10_000
}

type WaiverSpan = Omit<WaiverTermsFacts, 'reason'> & {
  readonly id: string
  from: number
  until: number
  /** By finding, the time. */
  lapsed: Map<string, number>
}

/** Waivers by the times in which they were in force: from an agreement or a return to the next one, a withdrawal or the end. */
function waiversIn(events: readonly EventRow[], { from, to }: Span) {
  const spans: WaiverSpan[] = []
  const last = new Map<string, WaiverSpan>()
  for (const { kind, subject, at, data } of events.filter((event) => event.at <= to)) {
    if (kind === 'waiver.lapsed') {
      const { waiver } = data as WaiverLapseFacts
      last.get(waiver)?.lapsed.set(subject, at)
      continue
    }
    const before = last.get(subject)
    if (before !== undefined) before.until = Math.min(before.until, at)
    if (kind === 'waiver.withdrawn') continue
    const terms = data as WaiverTermsFacts
    // What lapsed before a return has lapsed after it, too.
    const lapsed = new Map(kind === 'waiver.returned' ? before?.lapsed : [])
    const span = { ...terms, id: subject, from: at, until: terms.expiresAt, lapsed }
    last.set(subject, span)
    spans.push(span)
  }
  return spans
    .filter((span) => span.until >= Math.max(from, span.from))
    .map(({ id, check, entity, owner, until, ...span }) => {
      const lapsed = [...span.lapsed.values()].filter((at) => at < until).length
      return { id, check, entity, owner, from: toIso(span.from), until: toIso(until), lapsed }
    })
}

/** Holds of the period; `until` is null for one that lasted at its end. */
export async function holdsIn(past: PastReader, tenantId: number, { from, to }: Span) {
  const all = new Map<string, InputSnapshot['holds'][number] & { until: number | null }>()
  for (const { at, data } of await past.events({ tenantId, kinds: ['tenant.state'] })) {
    // Not the end: times may fall after the clock was set back.
    if (at > to) continue
    const { holds } = (data as TenantState).state as InputSnapshot
    // Its id changes with its records, but not the time.
    const present = new Map(holds.map((hold) => [`${hold.resource} ${hold.reason} ${hold.raisedAt}`, hold]))
    for (const [key, hold] of all) if (!present.has(key)) hold.until ??= at
    for (const [key, hold] of present) all.set(key, { ...hold, until: null })
  }
  return [...all.values()].filter(({ until }) => until === null || until >= from)
}

/** The parts of a period by what was configured then; what came before the first record counts as that. */
export async function configuredIn(past: PastReader, { from, to }: Span): Promise<ConfiguredSpans> {
  const all = new Map<string, { from: number; to: number; readonly resources: ConfiguredSpan['resources'] }[]>()
  let isFirst = true
  for await (const noted of past.configurations(from)) {
    const at = isFirst ? from : Math.max(from, noted.at)
    const configured = new Map(readRecord(noted).tenants.map(({ name, resources }) => [name, resources]))
    for (const name of new Set([...all.keys(), ...configured.keys()])) {
      const resources = configured.get(name)
      const spans = all.get(name) ?? (isFirst ? [] : [{ from, to, resources: undefined }])
      const last = spans.at(-1)
      all.set(name, spans)
      if (last !== undefined && isDeepStrictEqual(last.resources, resources)) continue
      if (last !== undefined) last.to = at
      spans.push({ from: at, to, resources })
    }
    isFirst = false
    await yieldToEventLoop()
  }
  return all
}

export interface Gaps {
  readonly resource: ResourceName
  /** While it was on, and the last full sync was older than the limit of that time or there was none. */
  readonly gaps: readonly Span[]
  readonly off: readonly Span[]
}

/** The times without data of each resource that was on in the period, since the tenant was first mirrored. */
export async function gapsIn(
  past: PastReader,
  { id, name, createdAt }: Pick<TenantRow, 'createdAt' | 'id' | 'name'>,
  { from }: Span,
  configured: ConfiguredSpans,
): Promise<readonly Gaps[]> {
  const spans = (configured.get(name) ?? []).flatMap((span) => {
    const shown = { ...span, from: Math.max(span.from, createdAt) }
    return shown.from < shown.to ? [shown] : []
  })
  const longestMs = (resource: ResourceName) =>
    spans.map(({ resources }) => (resources ? fullFreshnessLimitMs(resources[resource], Number.POSITIVE_INFINITY) : 0))
  // An older full sync is stale at the beginning of the period.
  const since = from - Math.max(0, ...resourceNames.flatMap(longestMs))
  const syncs = Map.groupBy(await past.fullSyncs(id, since), ({ resource }) => resource)
  return resourceNames.flatMap((resource) => {
    const [on, off] = [[] as ConfiguredSpan[], [] as ConfiguredSpan[]]
    for (const span of spans) (span.resources?.[resource].enabled === true ? on : off).push(span)
    if (on.length === 0) return []
    return [{ resource, off, gaps: on.flatMap((span) => [...gapsOf(syncs.get(resource) ?? [], resource, span)]) }]
  })
}

function* gapsOf(
  syncs: readonly FullSyncTimes[],
  resource: ResourceName,
  { from, to, resources }: ConfiguredSpan,
): Generator<Span> {
  if (resources === undefined) return
  let freshUntil = from
  for (const { endedAt, startedAt, durationMs } of syncs) {
    if (endedAt > to) continue
    const until = startedAt + fullFreshnessLimitMs(resources[resource], durationMs)
    // The end of one before the period is not known, only that of a later run.
    if (until <= Math.max(freshUntil, endedAt)) continue
    if (endedAt > freshUntil) yield { from: freshUntil, to: endedAt }
    freshUntil = Math.min(until, to)
  }
  if (freshUntil < to) yield { from: freshUntil, to }
}
