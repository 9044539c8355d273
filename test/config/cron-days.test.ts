import { createTask, validateDetailed } from 'node-cron'
import { expect, it } from 'vitest'
import { largestDayGap } from '../../src/config/cron.ts'
import { dayMs } from '../../src/model/durations.ts'

/** The gaps over 28 years, which hold every combination of weekday, month length and leap year but those of 2100. */
function gapByScheduler(expression: string): number {
  const task = createTask(expression, () => {}, { timezone: 'UTC' })
  let previous: number | undefined
  let largest = 0
  for (let at = Date.UTC(2004, 0, 1); at < Date.UTC(2032, 0, 1); at += dayMs) {
    if (!task.match(new Date(at))) continue
    if (previous !== undefined) largest = Math.max(largest, at - previous)
    previous = at
  }
  return largest / dayMs
}

it.each([
  '0 0 15W * *',
  '0 0 LW * *',
  '0 0 1W * *',
  '0 0 L-2 * *',
  '0 0 31W * *',
  '0 0 * * 7L',
  '0 0 * * 1#5',
  '0 0 1-7 * 3',
])('counts the days of %s like the scheduler', (expression) => {
  const { fields } = validateDetailed(expression)
  expect(fields && largestDayGap(fields)).toBe(gapByScheduler(expression))
})
