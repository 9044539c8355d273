import { validateDetailed } from 'node-cron'
import { cronSchedule, daysOf, timesOfDay } from '../config/cron.ts'
import { dayMs, hourMs, minuteMs } from '../model/time.ts'

/** The time after the given one at which a schedule is due, both in milliseconds since the epoch; infinite for none. */
export type NextTick = (after: number) => number

/** The calendar with weekdays and leap days repeats within this many days, except around 2100. */
const mostDays = 41 * 366

/**
 * The ticks of a cron expression in a time zone. What a change to summer time skips is due at the change. In the hour that
 * the end of summer time repeats, a schedule finer than a day goes on and a coarser one is not due again; the former never
 * waits longer than its usual gap (docs/internals/sync.md#11-local-clock). Throws for an invalid expression.
 */
export function cronTimes(expression: string, timezone: string): NextTick {
  const { intervalMs } = cronSchedule(expression)
  const nextWall = wallTimes(expression)
  const offsetAt = offsetsOf(timezone)

  const isRepeated = (tick: number): boolean => {
    const wall = tick + offsetAt(tick)
    const before = offsetAt(tick - dayMs)
    const first = wall - before
    return first < tick && offsetAt(first) === before && nextWall(wall) - wall >= dayMs
  }
  /** The first instant of the offset that follows the one of `from`; `to` has another one. */
  const changeBetween = (from: number, to: number): number => {
    const offset = offsetAt(from)
    let [low, high] = [from, to]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offsetAt(middle) === offset) low = middle
      else high = middle
    }
    return high
  }
  const nextOf = (after: number): number => {
    let at = after
    for (;;) {
      const offset = offsetAt(at)
      const tick = nextWall(at + offset) - offset
      if (tick === Number.POSITIVE_INFINITY) return tick
      const end = Math.min(tick, at + dayMs)
      const change = offsetAt(end) === offset ? Number.POSITIVE_INFINITY : changeBetween(at, end)
      if (tick < change) {
        if (tick === end && !isRepeated(tick)) return tick
        at = Math.max(end, tick - dayMs)
        continue
      }
      const offsetAfter = offsetAt(change)
      const isDue = nextWall(change + Math.min(offset, offsetAfter) - 1) <= change + offsetAfter
      if (isDue && !isRepeated(change)) return change
      at = change
    }
  }
  // Only a schedule that is due several times on every day has an interval below a day.
  return intervalMs < dayMs ? (after) => Math.min(nextOf(after), after + intervalMs) : nextOf
}

/** The next matching wall-clock time, written as if it were UTC. */
function wallTimes(expression: string): (after: number) => number {
  const { fields } = validateDetailed(expression)
  if (fields === undefined) throw new Error(`Schedule ${expression} is not a cron expression`)
  const days = daysOf(fields)
  const times = timesOfDay(fields)
  const [first = 0] = times
  return (after) => {
    const today = Math.floor(after / dayMs)
    const later = times.find((time) => today * dayMs + time > after)
    if (later !== undefined && days.has(today * dayMs)) return today * dayMs + later
    for (let day = today + 1; day < today + mostDays; day++) if (days.has(day * dayMs)) return day * dayMs + first
    return Number.POSITIVE_INFINITY
  }
}

/** The distance of a zone's wall clock from UTC, in milliseconds. */
function offsetsOf(timezone: string): (at: number) => number {
  // Avoids loading the time zone tables, which stay in memory, for the default.
  if (timezone === 'UTC') return () => 0
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' })
  return (at) => {
    const [, sign, hours = 0, minutes = 0] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(at)) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * minuteMs)
  }
}
