import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, maxTimerMs } from '../../src/model/clock.ts'

export interface Pace {
  /** When the fast time began, in milliseconds since the epoch; all processes of one soak share it. */
  readonly startedAt: number
  /** How many times as fast as the machine's own clock. */
  readonly factor: number
}

/** A clock that runs fast, so that days of retention and of ageing pass in minutes. */
export function fastClock({ startedAt, factor }: Pace): Clock {
  return {
    now: () => Math.round(startedAt + (Date.now() - startedAt) * factor),
    monotonic: () => performance.now() * factor,
    async sleep(ms, signal) {
      const bounded = Number.isFinite(ms) ? Math.min(Math.max(ms / factor, 0), maxTimerMs) : 0
      await delay(bounded, undefined, signal === undefined ? {} : { signal })
    },
  }
}
