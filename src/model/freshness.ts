import { dayMs, minuteMs, secondMs } from './durations.ts'

export const minFreshnessMs = 15 * minuteMs

const maxCountedDurationMs = dayMs

/** A time further ahead of the local clock, in milliseconds, is not fresh. */
export const futureToleranceMs = 300 * secondMs

export interface FullSyncInterval {
  readonly explicitMs: number | null
  readonly intervalMs: number
  readonly durationMs: number | null
}

export function fullFreshnessLimitMs(interval: FullSyncInterval): number {
  const durationMs = Math.min(interval.durationMs ?? 0, maxCountedDurationMs)
  return interval.explicitMs ?? atLeast(3 * Math.max(interval.intervalMs, durationMs))
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
