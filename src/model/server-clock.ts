import type { ResourceName } from './resource-names.ts'

export interface ServerClock {
  /** Confirmed server time advanced by monotonic time, in milliseconds since the epoch; null before a confirmation. */
  now(): number | null
}

/** Server minus local clock in milliseconds; null without a readable time, undefined without a successful run. */
export type SkewOf = (resource: ResourceName) => number | null | undefined

export interface ServerTimes extends ServerClock {
  skewMs(resource: ResourceName): ReturnType<SkewOf>
  /** Call after a successful run only: the time of a failed run does not apply to older data. */
  settle(resource: ResourceName): void
}

/** Skew up to which times can be compared, in milliseconds (docs/sync.md#server-time). */
export const greatestSkewMs = 300_000

/** Newest server time of answers, milliseconds since the epoch, of those with which the local clock agreed; else null. */
export function serverTimeReached(
  rows: readonly { readonly state: { readonly serverTime: number | null; readonly serverTimeAt: number | null } }[],
): number | null {
  const times = rows.flatMap(({ state: { serverTime, serverTimeAt } }) => {
    if (serverTime === null || serverTimeAt === null) return []
    return isSkewed(serverTime - serverTimeAt) ? [] : [serverTime]
  })
  return times.length === 0 ? null : Math.max(...times)
}

/** False when the skew is unknown. */
export function isSkewed(skewMs: number | null): boolean {
  return skewMs !== null && Math.abs(skewMs) > greatestSkewMs
}
