import type { ResourceName } from './resource-names.ts'

/** Server minus local clock in milliseconds; null without a readable time, undefined without a successful run. */
export type SkewOf = (resource: ResourceName) => number | null | undefined

/** Skew up to which times can be compared, in milliseconds (docs/internals/sync.md#10-time-of-an-answer). */
export const greatestSkewMs = 300_000

/** What may be the cause of an answer that is too old. */
export const replayHint =
  'A cache or proxy may replay old answers: exclude the API from caching. Or clocks of servers behind the address differ, or a clock was set back: runs succeed again once it has passed its former time'

/** A server time, and the local time of its receipt, in milliseconds since the epoch. */
export interface ReachedTime {
  readonly serverTime: number
  readonly receivedAt: number
}

/** Server times of the last answers that earlier processes received. */
export function serverTimesReached(
  rows: readonly { readonly state: { readonly serverTime: number | null; readonly serverTimeAt: number | null } }[],
): readonly ReachedTime[] {
  return rows.flatMap(({ state: { serverTime, serverTimeAt: receivedAt } }) =>
    serverTime === null || receivedAt === null ? [] : [{ serverTime, receivedAt }],
  )
}

/** False when the skew is unknown. */
export function isSkewed(skewMs: number | null): boolean {
  return skewMs !== null && Math.abs(skewMs) > greatestSkewMs
}
