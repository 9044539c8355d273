import { performance } from 'node:perf_hooks'
import type { Clock } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'

/** Share of a second that the event loop may have been at work in. */
const mostBusy = 0.1
const mostSeconds = 60

/**
 * Waits for a second in which this process did next to nothing: what holds it up then holds up nobody.
 *
 * @param busy tells the share of the time since it was last asked that the event loop was at work in.
 * @returns false where none came within a minute.
 * @throws the signal's reason when aborted.
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
