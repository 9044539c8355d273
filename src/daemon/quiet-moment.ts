import { performance } from 'node:perf_hooks'
import type { Clock } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'

/** Greatest share of a second in which the event loop was active. */
const mostBusy = 0.1
const mostSeconds = 60

/**
 * Waits for a second of little activity, when blocking delays nothing; false when there is none within a minute.
 *
 * @param busy returns the active share since its last call.
 */
export async function quietMoment(
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
  busy = workOfThisProcess(),
): Promise<boolean> {
  busy()
  for (let second = 0; second < mostSeconds; second++) {
    await clock.sleep(secondMs, signal)
    if (busy() <= mostBusy) return true
  }
  return false
}

function workOfThisProcess(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}
