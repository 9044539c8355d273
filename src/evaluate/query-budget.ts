import type { Clock } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'
import type { Log } from '../model/log.ts'

const share = 1 / 4
const burstMs = 60 * secondMs

export interface QueryBudget {
  /** @throws BudgetExceeded while the budget is used up. */
  spend<T>(query: () => Promise<T>): Promise<T>
}

/** Postpones a check: its last result stays, and ages. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded'
}

export function queryBudget(clock: Pick<Clock, 'monotonic'>, log: Log): QueryBudget {
  let leftMs = burstMs
  let at = clock.monotonic()
  let warned = false
  return {
    async spend(query) {
      const began = clock.monotonic()
      leftMs = Math.min(burstMs, leftMs + (began - at) * share)
      at = began
      if (leftMs === burstMs) warned = false
      if (leftMs <= 0) {
        if (!warned) log.warn({}, 'Own checks exceed their query budget; the remaining ones are postponed')
        warned = true
        throw new BudgetExceeded('Query budget of own checks exceeded')
      }
      try {
        return await query()
      } finally {
        at = clock.monotonic()
        leftMs -= at - began
      }
    },
  }
}
