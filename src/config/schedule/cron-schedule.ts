import { dayMs, hourMs, minuteMs, secondMs } from '../../model/durations.ts'
import type { CronSchedule } from '../settings.ts'
import { type Read, textAs } from '../yaml/leaves.ts'
import { largestDayGap } from './cron-days.ts'
import { type CronFields, readCronFields, wantedCron } from './cron-fields.ts'

export function cron() {
  return textAs(wantedCron, readCron)
}

/**
 * Reads a cron expression and computes the largest gap between two runs, exact over the whole calendar. A day counts as 24
 * hours, without daylight saving time.
 */
export function readCron(expression: string): Read<CronSchedule> {
  const fields = readCronFields(expression)
  if ('problem' in fields) return fields
  const days = largestDayGap(fields.value)
  if (days === undefined) return { problem: 'it never fires, because day, month and weekday never meet' }
  return { value: { expression, intervalMs: largestGapMs(fields.value, days) } }
}

/** The shortest gap between two runs of a valid expression, in milliseconds. */
export function shortestGapMs(expression: string): number {
  const fields = readCronFields(expression)
  if ('problem' in fields) throw new Error(`Schedule ${expression} is not usable: ${fields.problem}`)
  const times = timesOfDay(fields.value)
  const overnight = dayMs + (times[0] ?? 0) - (times.at(-1) ?? 0)
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  return [...gaps, overnight].filter((gap) => gap > 0).reduce((least, gap) => Math.min(least, gap))
}

/** Reads a default of the catalogue; throws when it is invalid, which is a bug. */
export function defaultCron(expression: string): CronSchedule {
  const read = readCron(expression)
  if ('problem' in read) throw new Error(`Default schedule ${expression} is not usable: ${read.problem}`)
  return read.value
}

function largestGapMs(fields: CronFields, days: number): number {
  const times = timesOfDay(fields)
  const overnight = days * dayMs + (times[0] ?? 0) - (times.at(-1) ?? 0)
  return times.reduce((largest, time, index) => Math.max(largest, time - (times[index - 1] ?? time)), overnight)
}

/** The run times of one day in ascending order, in milliseconds since midnight. */
function timesOfDay({ hour, minute, second }: CronFields): number[] {
  const times: number[] = []
  for (const h of hour)
    for (const m of minute) for (const s of second) times.push(h * hourMs + m * minuteMs + s * secondMs)
  return times.sort((a, b) => a - b)
}
