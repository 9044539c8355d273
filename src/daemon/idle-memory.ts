import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'

/** Greatest share of a second in which the event loop was active. */
const mostBusy = 0.1
const mostSeconds = 60

/** Waits for a second of little activity, when blocking delays nothing; false when there is none within a minute. */
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

/** In bytes. A larger process collects garbage by itself, and a forced collection would delay scrapes for long. */
const mostResident = 144 * 2 ** 20

type Collect = (how: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' }) => void

/** Frees the memory of the start, which V8 keeps in an idle daemon; false, without effect, in a large process. */
export function giveBackMemory(resident = process.memoryUsage.rss()): boolean {
  if (resident > mostResident) return false
  // Only a new context gets this function, and only while the flag is set.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return true
}
