import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, maxTimerMs } from '../clock.ts'

export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    async sleep(ms, signal) {
      const bounded = ms > 0 ? Math.min(ms, maxTimerMs) : 0
      await delay(bounded, undefined, signal === undefined ? {} : { signal })
    },
  }
}
