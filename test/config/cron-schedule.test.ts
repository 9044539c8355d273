import fc from 'fast-check'
import { createTask } from 'node-cron'
import { expect, it } from 'vitest'
import { readCron } from '../../src/config/cron.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../../src/model/time.ts'

it.each([
  ['* * * * *', minuteMs],
  ['* * * * * *', secondMs],
  ['*/5 * * * *', 5 * minuteMs],
  ['*/7 * * * *', 7 * minuteMs],
  ['17 * * * *', hourMs],
  ['@daily', dayMs],
  ['0 0 * * mon,thu', 4 * dayMs],
  ['0 0 1 * *', 31 * dayMs],
  ['0 0 31 * *', 61 * dayMs],
  ['0 0 1 jan,jul *', 184 * dayMs],
  ['0 0 * 2 *', 338 * dayMs],
  ['0 0 29 2 *', (8 * 365 + 1) * dayMs],
  ['30 5 5,5 * * *', dayMs],
])('takes the largest gap of %s', (expression, intervalMs) => {
  expect(readCron(expression)).toEqual({ expression, intervalMs })
})

it.each(['0 0 31 2 *', '0 0 30 2 *', '0 0 31 4,6,9,11 *'])('refuses %s, which never fires', (text) => {
  expect(readCron(text)).toMatchObject({ problem: expect.stringMatching(/^it never fires/) })
})

it.each([
  '',
  '* * * *',
  '* * * * * * *',
  '60 * * * *',
  '*/0 * * * *',
  'a * * * *',
  '0\t0 * * *',
  '1/5 * * * *',
  '0 0 L * *',
  '0 0 * * 1#2',
])('refuses %j', (text) => {
  expect(readCron(text)).toMatchObject({ problem: expect.stringMatching(/expected five cron fields/) })
})

const dayOfMonth = fc.constantFrom('*', '1', '13,28', '10-12', '*/9', '31', '?')
const month = fc.constantFrom('*', '1', '3-5', '*/2', 'feb,dec')
const weekday = fc.constantFrom('*', '1-5', '0', '7', 'sat', '?', '6-1')
const hours = fc.constantFrom('*', '3', '9,17', '22-2', '*/7')

it('agrees with the scheduler', () => {
  fc.assert(
    fc.property(dayOfMonth, month, weekday, hours, (days, months, weekdays, hour) => {
      const expression = `30 ${hour} ${days} ${months} ${weekdays}`
      const read = readCron(expression)
      if ('problem' in read) return
      const runs = createTask(expression, () => {}, { timezone: 'UTC' }).getNextRuns(hour === '*' ? 200 : 60)
      const gaps = runs.slice(1).map((run, index) => run.getTime() - (runs[index]?.getTime() ?? 0))
      expect(Math.max(...gaps)).toBeLessThanOrEqual(read.intervalMs)
      if (months === '*' && days === '*') expect(Math.max(...gaps)).toBe(read.intervalMs)
    }),
    { numRuns: 60, seed: 20260301 },
  )
})
