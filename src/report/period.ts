import type { InputSnapshot } from '../evaluate/past-store.ts'
import { toIso } from '../model/dates.ts'
import { hourMs } from '../model/durations.ts'
import { type Severity, severities } from '../model/severity.ts'
import {
  type EventRow,
  type FindingFacts,
  type FullSyncTimes,
  findingKinds,
  type PastReader,
  type TenantState,
  termsKinds,
  type WaiverTermsFacts,
} from '../store/port.ts'

/** Times are in milliseconds since the epoch. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A resource that is read, and how long a full sync of it stays fresh. */
export interface WatchedResource {
  readonly resource: string
  readonly limitMs: number
}

/** What happened to a tenant from `from` to `to`, by the stored history alone. */
export async function periodOf(past: PastReader, tenantId: number, span: Span, resources: readonly WatchedResource[]) {
  const findings = await past.events({ tenantId, kinds: findingKinds, since: span.from })
  const terms = await past.events({ tenantId, kinds: termsKinds })
  const states = await past.events({ tenantId, kinds: ['tenant.state'] })
  const syncs = await past.fullSyncs(tenantId)
  return {
    findings: findingsIn(findings),
    /** In force at some time of the period, with the terms of its end. */
    waivers: waiversIn(terms, span),
    holds: holdsIn(states, span),
    resources: resources.map(({ resource, limitMs }) => {
      const own = syncs.filter((one) => one.resource === resource)
      return { resource, hoursWithoutData: Math.round(withoutDataMs(own, limitMs, span) / (hourMs / 10)) / 10 }
    }),
  }
}

/** By severity, the most severe first. Hours to resolve are those of findings that were fixed; null = none was. */
function findingsIn(events: readonly EventRow[]) {
  const openedAt = new Map<string, number>()
  const found = new Map(severities.map((one) => [one, { opened: 0, resolved: 0, hours: [] as number[] }]))
  for (const { kind, subject, at, data } of events) {
    const { severity, firstSeenAt, resolution } = data as FindingFacts
    const of = found.get(severity as Severity)
    if (of === undefined) continue
    if (kind === 'finding.opened' || kind === 'finding.reopened') {
      openedAt.set(subject, at)
      of.opened++
    }
    if (kind !== 'finding.resolved') continue
    of.resolved++
    if (resolution === 'fixed') of.hours.push((at - (openedAt.get(subject) ?? firstSeenAt)) / hourMs)
  }
  return [...found].reverse().map(([severity, { opened, resolved, hours }]) => {
    return { severity, opened, resolved, medianHoursToFix: medianOf(hours) }
  })
}

function medianOf(hours: readonly number[]): number | null {
  const sorted = hours.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? null : Math.round((low + high) * 5) / 10
}

function waiversIn(events: readonly EventRow[], { from, to }: Span) {
  const last = new Map(events.filter(({ at }) => at <= to).map((event) => [event.subject, event]))
  return [...last.values()].flatMap(({ subject: id, at, data }) => {
    const { check, entity, owner, expiresAt } = data as WaiverTermsFacts
    return expiresAt < from ? [] : [{ id, check, entity, owner, agreed: toIso(at), expires: toIso(expiresAt) }]
  })
}

/** `to` is null for a hold that lasted at the end of the period. */
function holdsIn(events: readonly EventRow[], { from, to }: Span) {
  const all = new Map<string, InputSnapshot['holds'][number] & { until: number | null }>()
  for (const { at, data } of events) {
    if (at > to) break
    const { holds } = (data as TenantState).state as InputSnapshot
    const ids = new Set(holds.map(({ id }) => id))
    for (const hold of all.values()) if (!ids.has(hold.id)) hold.until ??= at
    for (const hold of holds) if (!all.has(hold.id)) all.set(hold.id, { ...hold, until: null })
  }
  return [...all.values()]
    .filter(({ until }) => until === null || until >= from)
    .map(({ resource, reason, count, raisedAt, until }) => {
      return { resource, reason, count, raised: toIso(raisedAt), ended: until === null ? null : toIso(until) }
    })
}

/** Time of the period in which the last full sync was older than the limit, or in which there was none. */
function withoutDataMs(syncs: readonly FullSyncTimes[], limitMs: number, { from, to }: Span): number {
  let without = 0
  let freshUntil = from
  for (const { endedAt, startedAt } of syncs) {
    if (endedAt > to) break
    if (endedAt > freshUntil) without += endedAt - freshUntil
    freshUntil = Math.max(freshUntil, Math.min(startedAt + limitMs, to))
  }
  return without + Math.max(0, to - freshUntil)
}
