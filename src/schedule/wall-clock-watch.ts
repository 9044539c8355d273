import type { Clock } from '../model/clock.ts'
import { minuteMs, secondMs } from '../model/durations.ts'

/** More than any slewing of a clock gains between two looks. */
const jumpMs = 2 * secondMs

/** Compares the wall clock with monotonic time, from one look to the next. */
export interface WallClockWatch {
  /** True when the wall clock was set since the last look. */
  jumped(): boolean
  /** By how much it was set in all, in milliseconds, negative for back; null while there is nothing to report. */
  report(): number | null
}

/** Reports at most once a minute: a clock that two programs set in turn must not flood the log or the tenants. */
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
