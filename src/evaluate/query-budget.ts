import type { Clock } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'
import type { Log } from '../model/log.ts'

/** The share of the time that own checks may take, and what they may take at once. */
const share = 1 / 4
const burstMs = 60 * secondMs

/** Keeps own checks, which may be slow and many, from holding up what else is to be evaluated. */
export interface QueryBudget {
  /** @throws Postponed when own checks have had their share for now. */
  over<T>(ask: () => Promise<T>): Promise<T>
}

/** There is no time for an own check now: its last check result stays, and ages. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded'
}

export function queryBudget(clock: Pick<Clock, 'monotonic'>, log: Log): QueryBudget {
  let leftMs = burstMs
  let at = clock.monotonic()
  let told = false
  return {
    async over(ask) {
      const began = clock.monotonic()
      leftMs = Math.min(burstMs, leftMs + (began - at) * share)
      at = began
      if (leftMs === burstMs) told = false
      if (leftMs <= 0) {
        if (!told) log.warn({}, 'Own checks take more than their share of the time; the others are put off')
        told = true
        throw new BudgetExceeded('Own checks have had their share of the time')
      }
      try {
        return await ask()
      } finally {
        at = clock.monotonic()
        leftMs -= at - began
      }
    },
  }
}
