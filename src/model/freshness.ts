import { dayMs, minuteMs, secondMs } from './time.ts'

export const minFreshnessMs = 15 * minuteMs

const maxCountedDurationMs = dayMs

/** A time further ahead of the local clock, in milliseconds, is not fresh. */
export const futureToleranceMs = 300 * secondMs

interface Rhythm {
  readonly freshnessMs: number | null
  readonly full: { readonly intervalMs: number }
}

/** @param durationMs of the last full sync; null = there was none. */
export function fullFreshnessLimitMs({ freshnessMs, full }: Rhythm, durationMs: number | null): number {
  const countedMs = Math.min(durationMs ?? 0, maxCountedDurationMs)
  return freshnessMs ?? atLeast(3 * Math.max(full.intervalMs, countedMs))
}

/** In milliseconds; for metrics only, no check depends on it. */
export function incrementalFreshnessLimitMs(intervalMs: number): number {
  return atLeast(3 * intervalMs)
}

export function resultLimitMs(evaluateIntervalMs: number): number {
  return atLeast(3 * evaluateIntervalMs)
}

/** False for times ahead of `now`: after the clock was set back, data would otherwise stay fresh until that time. */
export function isFresh(since: number | null, limitMs: number, now: number): boolean {
  return since !== null && now - since <= limitMs && since - now <= futureToleranceMs
}

function atLeast(ms: number): number {
  return Math.max(minFreshnessMs, ms)
}
