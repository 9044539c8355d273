import { createTask } from 'node-cron'

/** When one expression fires, by the system's wall clock. */
export interface CronTimes {
  /**
   * The next firing after now, in milliseconds since the epoch; infinite when there is none in the next hundred years.
   * The days in between are counted at most, so that it takes milliseconds whatever the expression.
   */
  next(): number
  dispose(): void
}

/**
 * Reads an expression with node-cron. Its task is never started: a started one full syncs through each slot that a jump of
 * the clock went over.
 *
 * @throws Error when the expression cannot be read.
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
