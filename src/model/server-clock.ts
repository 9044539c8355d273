import type { ResourceName } from './resource-names.ts'

/** The time of one tenant's server, as far as answers received in this process confirm it. */
export interface ServerClock {
  /**
   * The newest confirmed server time, advanced by the monotonic time since its receipt, in milliseconds since the epoch;
   * null while no answer confirmed one.
   */
  now(): number | null
}

/**
 * The server clock minus the local clock at this moment, in milliseconds, by the last answer of a resource's last
 * successful run; null when that answer carried no readable time, undefined when no run succeeded in this process.
 */
export type SkewOf = (resource: ResourceName) => number | null | undefined

/** The server time of one tenant, and what it means for each resource. */
export interface ServerTimes extends ServerClock {
  skewMs(resource: ResourceName): ReturnType<SkewOf>
  /** To be called when a run succeeded: a right time in one that failed says nothing about the data of the one before. */
  settle(resource: ResourceName): void
}

/** Skew of the clocks, in milliseconds, up to which times can be compared (docs/sync.md#server-time). */
export const greatestSkewMs = 300_000

/** True when the clocks differ so much that times cannot be compared; false also where no skew is known. */
export function isSkewed(skewMs: number | null): boolean {
  return skewMs !== null && Math.abs(skewMs) > greatestSkewMs
}
