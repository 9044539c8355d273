import { createTask } from 'node-cron'

export interface CronTimes {
  /**
   * The next time after now, in milliseconds since the epoch; infinite when there is none in the next hundred years. Takes
   * milliseconds for any expression.
   */
  next(): number
  dispose(): void
}

/**
 * Parses an expression with node-cron. The task is never started, because after a jump of the clock a started task runs once
 * for each skipped time.
 *
 * @throws Error when the expression is invalid.
 */
export function cronTimes(expression: string, timezone: string): CronTimes {
  const task = createTask(expression, () => {}, { timezone })
  return {
    next() {
      try {
        return task.getNextRuns(1)[0]?.getTime() ?? Number.POSITIVE_INFINITY
      } catch {
        return Number.POSITIVE_INFINITY
      }
    },
    dispose: () => void task.destroy(),
  }
}
