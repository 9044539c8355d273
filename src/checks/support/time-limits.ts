import * as z from 'zod'

const limit = (unit: string, most: number) =>
  z
    .number({ error: `expected a number of ${unit} above 0 and up to ${most}, without a unit` })
    .positive()
    .max(most)

/** A threshold in days; fractions are allowed. */
export const days = (byDefault: number) => limit('days', 36_500).default(byDefault)

/** A threshold in hours; fractions are allowed. */
export const hours = (byDefault: number) => limit('hours', 876_000).default(byDefault)

/** True when `since` lies more than `limitMs` before `now`. */
export function isOlderThan(since: number, limitMs: number, now: number): boolean {
  return now - since > limitMs
}

/** First millisecond at which `since`, in whole milliseconds, is older than `limitMs`. */
export function olderFrom(since: number, limitMs: number): number {
  return since + Math.floor(limitMs) + 1
}

/** First millisecond at which at most `limitMs` are left until `end`, in whole milliseconds. */
export function withinFrom(end: number, limitMs: number): number {
  return end - Math.floor(limitMs)
}
