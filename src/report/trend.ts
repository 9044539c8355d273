import { dayMs, minuteMs } from '../model/durations.ts'
import type { TenantPosture } from '../model/posture.ts'
import { type SeverityCounts, severities } from '../model/severity.ts'
import type { OpenSample, Span, Trend } from '../model/trend.ts'
import type { Mirror, PastReader, TenantRow } from '../store/port.ts'
import { findingCounts, gapsIn, holdsIn } from './period.ts'

const weekMs = 7 * dayMs

/** The span of a trend that nobody chose, in milliseconds: thirteen weeks. */
export const trendMs = 13 * weekMs

/** Samples a day apart, or more in a long span. */
const maxSamples = 92

/** The history of a tenant for plots; the last sample is what the posture has. */
export async function readTrend(
  past: PastReader,
  { id, createdAt }: Pick<TenantRow, 'id' | 'createdAt'>,
  span: Span,
  posture: TenantPosture,
): Promise<Trend> {
  const { from, to } = span
  const weekCount = Math.ceil((to - from) / weekMs)
  const times = await past.findingTimes(id, to - weekCount * weekMs)
  const weeks = Array.from({ length: weekCount }, (_, i) => {
    const week = { from: to - (weekCount - i) * weekMs, to: to - (weekCount - i - 1) * weekMs }
    return { ...week, ...findingCounts(times.filter(({ at }) => at > week.from && at <= week.to)) }
  })
  const watched = posture.resources
    .filter(({ enabled }) => enabled)
    .map(({ resource, freshnessLimitMs: limitMs }) => ({ resource, limitMs }))
  const mirrored = { from: Math.max(from, createdAt), to }
  const gaps = await gapsIn(past, id, mirrored, watched)
  const holds = await holdsIn(past, id, span)
  return {
    from,
    to,
    samples: withPresent(await samplesOf(past, id, span), posture),
    weeks,
    medianHoursToFix: findingCounts(times.filter(({ at }) => at >= from)).medianHoursToFix,
    holds: holds.map(({ raisedAt, until }) => ({ from: raisedAt, until })),
    gaps: union(gaps.flatMap((one) => one.gaps)),
  }
}

/** `readTrend` of the last thirteen weeks with a cache: the history of 100,000 findings takes half a second to read. */
export function trendMemory() {
  const kept = new Map<number, { readonly lastEventId: number; readonly trend: Trend }>()
  return async (
    mirror: Pick<Mirror, 'lastEventId' | 'past'>,
    tenant: TenantRow,
    posture: TenantPosture,
    now: number,
  ) => {
    const lastEventId = await mirror.lastEventId(tenant.id)
    const known = kept.get(tenant.id)
    const limitMs = known?.lastEventId === lastEventId ? 15 * minuteMs : minuteMs
    if (known !== undefined && now >= known.trend.to && now - known.trend.to < limitMs)
      return { ...known.trend, samples: withPresent(known.trend.samples, posture) }
    const past = await mirror.past(now, true)
    const trend = await readTrend(past, tenant, { from: now - trendMs, to: now }, posture)
    kept.set(tenant.id, { lastEventId, trend })
    return trend
  }
}

/** The samples with the findings that the posture has as the last one. */
function withPresent(samples: readonly OpenSample[], { checks }: TenantPosture): readonly OpenSample[] {
  const last = samples.at(-1)
  if (last === undefined) return samples
  const isKnown = last.open !== null || checks.some(({ evaluatedAt }) => evaluatedAt !== null)
  const open = isKnown ? sum(checks.flatMap((view) => [view.open, view.waived])) : null
  return samples.with(-1, { ...last, open })
}

async function samplesOf(past: PastReader, tenantId: number, { from, to }: Span): Promise<readonly OpenSample[]> {
  const stepMs = Math.ceil((to - from) / dayMs / (maxSamples - 1)) * dayMs
  const count = Math.floor((to - from) / stepMs) + 1
  const times = Array.from({ length: count }, (_, i) => to - (count - 1 - i) * stepMs)
  const results = Map.groupBy(await past.resultsAt(tenantId, times), ({ at }) => at)
  return times.map((at) => {
    const found = results.get(at)
    return { at, open: found === undefined ? null : sum(found.map(({ open }) => open)) }
  })
}

function sum(counts: readonly Readonly<SeverityCounts>[]): SeverityCounts {
  return Object.fromEntries(
    severities.map((severity) => [severity, counts.reduce((all, one) => all + (one[severity] ?? 0), 0)]),
  )
}

function union(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = []
  for (const one of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last === undefined || one.from > last.to) merged.push(one)
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, one.to) }
  }
  return merged
}
