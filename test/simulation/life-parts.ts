import { dayMs, minuteMs } from '../../src/model/durations.ts'
import type { Maker } from './populate.ts'
import type { Prng } from './prng.ts'
import type { Readings } from './readings.ts'
import type { VirtualTime } from './virtual-time.ts'
import type { World } from './world.ts'

/** Input of a change of the tenant. */
export interface LifeParts {
  readonly time: VirtualTime
  readonly world: World
  readonly prng: Prng
  readonly maker: Maker
  readonly readings: Readings
  /**
   * False on quiet runs, where nothing happens that makes a check unknown by its rules: neither mass removals, which the
   * shrink guard holds, nor two roles of one name, nor the removal of the only document that meets a requirement, which
   * two full syncs must show, nor of one that was never updated where `updatedAfter` cannot confirm it.
   */
  readonly rough: boolean
  /** False where one more removal in a day would be held (docs/internals/sync.md#6-shrink-guard); always true where life is rough. */
  readonly mayGo: (resource: 'users' | 'documents' | 'clients') => boolean
  /** True once the mirror has the first state of the settings, from which drift is measured. */
  readonly settingsKnown: () => boolean
  /** Number of new records that are older than an hour. */
  readonly appearedOld: { count: number }
  /** Undoes a change some time later, unless life has stopped by then. */
  readonly later: (act: () => void) => void
  /** Does something after so many milliseconds, unless life has stopped by then. */
  readonly after: (ms: number, act: () => void) => void
}

/** Oldest creation that rule (b) of the tenant guard takes for new, with room for the full sync's own age. */
const newEnoughMs = 50 * minuteMs
/** More would look like another tenant's page, which the guard holds until an operator accepts it. */
const mostOld = 2

/** A moment of the past for a record that appears in the middle of the order; now and then one of long ago. */
export function inThePast(parts: LifeParts): number {
  const { time, prng, appearedOld } = parts
  if (appearedOld.count < mostOld && prng.chance(0.3)) {
    appearedOld.count++
    return time.now - prng.between(2 * dayMs, 60 * dayMs)
  }
  return time.now - prng.between(minuteMs, newEnoughMs)
}
