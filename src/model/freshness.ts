import { dayMs, minuteMs, secondMs } from './durations.ts'

/** No derived limit is shorter than this, in milliseconds. */
export const leastFreshnessMs = 15 * minuteMs

/** No more than this, in milliseconds, counts of the duration of a full sync. */
const longestCountedMs = dayMs

/** A time further ahead of this machine's clock than this cannot be trusted to be recent. */
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
export function fullFreshnessLimitMs(rhythm: FullSyncInterval): number {
  const durationMs = Math.min(rhythm.durationMs ?? 0, longestCountedMs)
  return rhythm.explicitMs ?? atLeast(3 * Math.max(rhythm.intervalMs, durationMs))
}

/** The limit of the metric's mode `incremental`, in milliseconds; no check hangs on it. */
export function incrementalFreshnessLimitMs(intervalMs: number): number {
  return atLeast(3 * intervalMs)
}

/** How old a stored check result may be before it is no longer shown, in milliseconds. */
export function resultLimitMs(evaluateIntervalMs: number): number {
  return atLeast(3 * evaluateIntervalMs)
}

/**
 * True while `since` (null = never) lies no further back than `limitMs`. A time well ahead of `now` is not fresh: the
 * clock was set back, and its age would stay at zero until that time comes.
 */
export function isFresh(since: number | null, limitMs: number, now: number): boolean {
  return since !== null && now - since <= limitMs && since - now <= futureToleranceMs
}

function atLeast(ms: number): number {
  return Math.max(leastFreshnessMs, ms)
}
