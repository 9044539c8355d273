import type { Clock } from '../model/clock.ts'
import { minuteMs, secondMs } from '../model/durations.ts'

/** Least change that counts as a jump: more than slewing changes between two checks. */
const jumpMs = 2 * secondMs

export interface WallClockWatch {
  jumped(): boolean
  /** Total unreported change in milliseconds, negative = set back; null if there is none. */
  report(): number | null
}

/** Reports at most once a minute, so that a clock set repeatedly does not flood the log or the tenants. */
export function wallClockWatch(clock: Clock): WallClockWatch {
  const offset = () => clock.now() - clock.monotonic()
  let known = offset()
  let unreported: number | null = null
  let reportAfter = Number.NEGATIVE_INFINITY
  return {
    jumped() {
      const by = offset() - known
      known += by
      if (Math.abs(by) < jumpMs) return false
      unreported = (unreported ?? 0) + by
      return true
    },
    report() {
      if (unreported === null || clock.monotonic() < reportAfter) return null
      const by = unreported
      unreported = null
      reportAfter = clock.monotonic() + minuteMs
      return by
    },
  }
}
