import { type SeverityCounts, severities, total } from '../model/severity.ts'
import { dayMs, hourMs, minuteMs } from '../model/time.ts'
import type { Span, Trend } from '../model/trend.ts'
import type { Mirror, PastReader, TenantRow } from '../store/port.ts'
import { type ConfiguredSpans, configuredIn, findingCounts, gapsIn, holdsIn } from './period.ts'

const weekMs = 7 * dayMs

/** The span of the page's plots, in milliseconds. */
const trendMs = 13 * weekMs

/** Samples are a day apart, or more in a long span. */
const maxSamples = 92

export async function readTrend(
  past: PastReader,
  tenant: Pick<TenantRow, 'createdAt' | 'id' | 'name'>,
  span: Span,
  configured: ConfiguredSpans,
): Promise<Trend> {
  const { id, createdAt: mirroredAt } = tenant
  const { from, to } = span
  const count = Math.ceil((to - from) / weekMs)
  const times = await past.findingTimes(id, from)
  const counted = (week: Span) => ({
    ...week,
    ...findingCounts(times.filter(({ at }) => at >= week.from && at <= week.to)),
  })
  const weeks = Array.from({ length: count }, (_, i) => to - (count - 1 - i) * weekMs)
  const gaps = await gapsIn(past, tenant, span, configured)
  const { medianHoursToFix } = counted(span)
  return {
    ...{ from, to, mirroredAt, medianHoursToFix },
    samples: await samplesOf(past, id, span),
    weeks: weeks
      .filter((end) => end > mirroredAt)
      // The first one may be shorter.
      .map((end) => counted({ from: Math.max(from, end - weekMs + 1), to: end })),
    holds: (await holdsIn(past, id, span)).map(({ raisedAt, until }) => ({ from: raisedAt, to: until ?? to })),
    gaps: union(gaps.flatMap((one) => one.gaps)).filter((gap) => gap.to - gap.from >= hourMs),
  }
}

/** `readTrend` up to now with a cache: the history of 100,000 findings takes 0.4 s to read. */
export function trendMemory() {
  const kept = new Map<number, { readonly lastEventId: number; readonly trend: Trend }>()
  return async (mirror: Pick<Mirror, 'lastEventId' | 'past'>, tenant: TenantRow, now: number) => {
    const lastEventId = await mirror.lastEventId(tenant.id)
    const known = kept.get(tenant.id)
    const ageMs = now - (known?.trend.to ?? Number.NEGATIVE_INFINITY)
    if (known?.lastEventId === lastEventId && ageMs >= 0 && ageMs < 10 * minuteMs) return known.trend
    const [past, span] = [await mirror.past(now, true), { from: now - trendMs, to: now }]
    const trend = await readTrend(past, tenant, span, await configuredIn(past, span))
    kept.set(tenant.id, { lastEventId, trend })
    return trend
  }
}

async function samplesOf(past: PastReader, tenantId: number, { from, to }: Span): Promise<Trend['samples']> {
  const stepMs = Math.ceil((to - from) / dayMs / (maxSamples - 1)) * dayMs
  const count = Math.floor((to - from) / stepMs) + 1
  const times = Array.from({ length: count }, (_, i) => to - (count - 1 - i) * stepMs)
  const results = Map.groupBy(await past.resultsAt(tenantId, times), ({ at }) => at)
  return times.map((at) => {
    // A check that was never evaluated has no findings either.
    const known = (results.get(at) ?? []).filter(({ wasEvaluated, open }) => wasEvaluated || total(open) > 0)
    return { at, open: known.length === 0 ? null : sum(known.map(({ open }) => open)) }
  })
}

function sum(counts: readonly Readonly<SeverityCounts>[]): SeverityCounts {
  const totals = severities.map((one) => [one, counts.reduce((all, open) => all + (open[one] ?? 0), 0)])
  return Object.fromEntries(totals)
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
