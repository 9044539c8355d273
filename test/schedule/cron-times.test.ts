import { expect, it } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { cronTimes } from '../../src/schedule/cron-times.ts'

const yearOf = Date.UTC(2026, 0, 1)

/** Days of ten years on which the offset of a zone changes. */
function changesOf(timeZone: string): readonly number[] {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const offset = (at: number) => format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value
  const days = Array.from({ length: 3653 }, (_, day) => yearOf + day * dayMs)
  return days.filter((at) => offset(at) !== offset(at + dayMs))
}

function ticksBetween(expression: string, zone: string, from: number, to: number): readonly number[] {
  const next = cronTimes(expression, zone)
  const ticks = [next(from)]
  while ((ticks.at(-1) ?? to) < to) ticks.push(next(ticks.at(-1) ?? to))
  return ticks
}

const gapsOf = (ticks: readonly number[]) => ticks.slice(1).map((tick, at) => tick - (ticks[at] ?? 0))

// Changes of an hour, of half an hour, of two, at midnight, twice a year in one season, and none.
const zones = ['Europe/Berlin', 'Australia/Lord_Howe', 'Antarctica/Troll', 'Asia/Beirut', 'Africa/Casablanca', 'UTC']
const byZone = it.for(zones.map((zone) => [zone, changesOf(zone)] as const))

byZone('a schedule finer than a day keeps its rhythm over the changes of ten years in %s', ([zone, changes]) => {
  const usual = { '*/5 * * * *': 5 * minuteMs, '17 * * * *': hourMs, '43 */6 * * *': 6 * hourMs }
  for (const [expression, gap] of Object.entries(usual))
    for (const day of changes) {
      const gaps = gapsOf(ticksBetween(expression, zone, day - 7 * hourMs, day + dayMs + 7 * hourMs))
      expect(Math.max(...gaps), `${expression} ${new Date(day).toISOString()}`).toBeLessThanOrEqual(gap)
      expect(Math.min(...gaps)).toBeGreaterThan(0)
    }
})

byZone('a daily schedule is due once a day over the changes of ten years in %s', ([zone, changes]) => {
  for (const expression of ['30 2 * * *', '45 1 * * *', '0 0 * * *'])
    for (const day of changes) {
      const gaps = gapsOf(ticksBetween(expression, zone, day - 2 * dayMs, day + 3 * dayMs))
      expect(Math.max(...gaps), `${expression} ${new Date(day).toISOString()}`).toBeLessThanOrEqual(26 * hourMs)
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(22 * hourMs)
    }
})

it('the minutes of the repeated hour are due twice', () => {
  const [from, to] = [Date.UTC(2026, 9, 25, 0, 30, 30), Date.UTC(2026, 9, 25, 1, 30)]
  expect(new Set(gapsOf(ticksBetween('* * * * *', 'Europe/Berlin', from, to)))).toEqual(new Set([minuteMs]))
})

it('rare days are found, and days that do not exist are never due', () => {
  expect(cronTimes('0 0 29 2 *', 'Europe/Berlin')(yearOf)).toBe(Date.UTC(2028, 1, 28, 23))
  expect(cronTimes('0 0 29 2 1', 'UTC')(yearOf)).toBe(Date.UTC(2044, 1, 29))
})
