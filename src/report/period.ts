import type { InputSnapshot } from '../evaluate/past-store.ts'
import type { ResourceView } from '../model/posture.ts'
import { highestFirst, type Severity } from '../model/severity.ts'
import { hourMs, isoOrNull, toIso } from '../model/time.ts'
import type { FindingCounts, Span } from '../model/trend.ts'
import {
  type EventRow,
  type FindingTimes,
  type FullSyncTimes,
  type PastReader,
  type TenantState,
  type WaiverLapseFacts,
  type WaiverTermsFacts,
  waiverKinds,
} from '../store/port.ts'

type Resources = readonly Pick<ResourceView, 'enabled' | 'freshnessLimitMs' | 'resource'>[]

/** What happened to a tenant from `from` to `to`, by the stored history alone. */
export async function periodOf(past: PastReader, tenantId: number, span: Span, resources: Resources) {
  return {
    findings: bySeverity(await past.findingTimes(tenantId, span.from, true)),
    /** In force at some time of the period; `lapsed`: the findings that they no longer covered, because facts had changed. */
    waivers: waiversIn(await past.events({ tenantId, kinds: [...waiverKinds, 'waiver.lapsed'] }), span),
    holds: (await holdsIn(past, tenantId, span)).map(({ resource, reason, count, raisedAt, until }) => {
      return { resource, reason, count, raised: toIso(raisedAt), ended: isoOrNull(until) }
    }),
    resources: (await gapsIn(past, tenantId, span, resources)).map(({ resource, gaps }) => {
      const withoutMs = gaps.reduce((sum, { from, to }) => sum + to - from, 0)
      return { resource, hoursWithoutData: Math.round(withoutMs / (hourMs / 10)) / 10 }
    }),
  }
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

/** By resource, the parts of the period in which the last full sync was older than the limit, or in which there was none. */
export async function gapsIn(
  past: PastReader,
  tenantId: number,
  span: Span,
  resources: Resources,
): Promise<readonly { readonly resource: string; readonly gaps: readonly Span[] }[]> {
  const watched = resources.filter(({ enabled }) => enabled)
  // An older full sync is stale at the beginning of the period.
  const since = span.from - Math.max(0, ...watched.map(({ freshnessLimitMs }) => freshnessLimitMs))
  const syncs = Map.groupBy(await past.fullSyncs(tenantId, since), ({ resource }) => resource)
  return watched.map(({ resource, freshnessLimitMs }) => ({
    resource,
    gaps: [...gapsOf(syncs.get(resource) ?? [], freshnessLimitMs, span)],
  }))
}

function* gapsOf(syncs: readonly FullSyncTimes[], limitMs: number, { from, to }: Span): Generator<Span> {
  let freshUntil = from
  for (const { endedAt, startedAt } of syncs) {
    if (endedAt > to) continue
    if (endedAt > freshUntil) yield { from: freshUntil, to: endedAt }
    freshUntil = Math.max(freshUntil, Math.min(startedAt + limitMs, to))
  }
  if (freshUntil < to) yield { from: freshUntil, to }
}
