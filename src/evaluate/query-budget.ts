import type { Clock } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'
import type { Log } from '../model/log.ts'
import type { OwnQueries } from './own-query.ts'

const share = 1 / 4
const burstMs = 60 * secondMs

/** Postpones a check: its last result stays, and ages. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded'
}

/** Queries that fail with BudgetExceeded while they have taken more than their share of the time. */
export function withinBudget(queries: OwnQueries, clock: Pick<Clock, 'monotonic'>, log: Log): OwnQueries {
  let leftMs = burstMs
  let at = clock.monotonic()
  let warned = false
  return {
    async ask(...query) {
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
        return await queries.ask(...query)
      } finally {
        at = clock.monotonic()
        leftMs -= at - began
      }
    },
  }
}
