import { dayMs, minuteMs, secondMs } from './durations.ts'

/** Shortest derived limit, in milliseconds. */
export const minFreshnessMs = 15 * minuteMs

/** Greatest duration of a full sync that counts, in milliseconds. */
const maxCountedDurationMs = dayMs

/** A time further ahead of the local clock than this, in milliseconds, is not fresh. */
export const futureToleranceMs = 300 * secondMs

export interface FullSyncInterval {
  /** `freshness.<resource>` of the configuration; null when not set. */
  readonly explicitMs: number | null
  /** Largest gap between two full syncs by schedule. */
  readonly intervalMs: number
  /** Duration of the last complete full sync; null before the first. */
  readonly durationMs: number | null
}

/**
 * How old, in milliseconds, the last complete full sync may be before its data cannot be evaluated
 * (docs/sync.md#freshness). An explicit limit is taken as it is.
 */
export function fullFreshnessLimitMs(interval: FullSyncInterval): number {
  const durationMs = Math.min(interval.durationMs ?? 0, maxCountedDurationMs)
  return interval.explicitMs ?? atLeast(3 * Math.max(interval.intervalMs, durationMs))
}

/** The limit of the metric's mode `incremental`, in milliseconds; no check depends on it. */
export function incrementalFreshnessLimitMs(intervalMs: number): number {
  return atLeast(3 * intervalMs)
}

/** Greatest age at which a stored check result is shown, in milliseconds. */
export function resultLimitMs(evaluateIntervalMs: number): number {
  return atLeast(3 * evaluateIntervalMs)
}

/**
 * True while `since` (null = never) is at most `limitMs` before `now`. A time ahead of `now` is not fresh: the clock was
 * set back, and the data would otherwise stay fresh until that time.
 */
export function isFresh(since: number | null, limitMs: number, now: number): boolean {
  return since !== null && now - since <= limitMs && since - now <= futureToleranceMs
}

function atLeast(ms: number): number {
  return Math.max(minFreshnessMs, ms)
}
