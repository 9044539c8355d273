import type { ResourceName } from './resource-names.ts'

/** The time of one tenant's server, from responses received by this process. */
export interface ServerClock {
  /**
   * The newest confirmed server time, advanced by the monotonic time since its receipt, in milliseconds since the epoch;
   * null before a response confirmed one.
   */
  now(): number | null
}

/**
 * The server clock minus the local clock in milliseconds, from the last response of a resource's last successful run; null
 * when that response had no readable time, undefined when no run succeeded in this process.
 */
export type SkewOf = (resource: ResourceName) => number | null | undefined

export interface ServerTimes extends ServerClock {
  skewMs(resource: ResourceName): ReturnType<SkewOf>
  /** Call after a successful run only: the time in a failed run does not apply to the data of the run before. */
  settle(resource: ResourceName): void
}

/** Skew of the clocks, in milliseconds, up to which times can be compared (docs/sync.md#server-time). */
export const greatestSkewMs = 300_000

/** True when the clocks differ too much to compare times; false when the skew is unknown. */
export function isSkewed(skewMs: number | null): boolean {
  return skewMs !== null && Math.abs(skewMs) > greatestSkewMs
}
