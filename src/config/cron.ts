import { validateDetailed } from 'node-cron'
import { dayMs, hourMs, minuteMs, secondMs } from '../model/durations.ts'
import type { CronSchedule } from './settings.ts'
import { type Read, textAs } from './yaml/leaves.ts'

export function cron() {
  return textAs(wantedCron, readCron)
}

/** Computes the largest gap between two runs over the whole calendar; every day counts as 24 hours. */
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

export interface CronFields {
  readonly second: readonly number[]
  readonly minute: readonly number[]
  readonly hour: readonly number[]
  readonly dayOfMonth: readonly (number | string)[]
  readonly month: readonly number[]
  readonly dayOfWeek: readonly (number | string)[]
}

const wantedCron = 'expected five cron fields (minute hour day month weekday), or six with seconds first'

/** Parses an expression with the parser of the scheduler, so that both accept the same expressions. */
function readCronFields(expression: string): Read<CronFields> {
  const { valid, fields, errors } = validateDetailed(expression)
  if (valid && fields !== undefined) return { value: fields }
  const [error] = errors
  if (error === undefined || error.field === 'expression') return { problem: wantedCron }
  const { field, value } = error
  if (/impossible/.test(error.message)) return { problem: 'it never fires, because no such day exists' }
  return { problem: `${fieldNames[field] ?? field} cannot be ${JSON.stringify(value)}; ${wantedCron}` }
}

const fieldNames: Readonly<Record<string, string>> = { dayOfMonth: 'day of month', dayOfWeek: 'day of week' }

/** The Gregorian calendar repeats, weekdays included, after 400 years. */
const cycleYears = 400
const cycleDays = 146_097
/** The cycle starts at 2000-01-01, a Saturday. */
const firstWeekday = 6

/** Day of month and day of week must both fit, as in node-cron (other crons take either); undefined when no day does. */
export function largestDayGap(fields: CronFields): number | undefined {
  if (fields.month.length === 12 && everyDay(fields)) return 1
  let first: number | undefined
  let previous: number | undefined
  let largest = 0
  let ordinal = 0
  for (let year = 0; year < cycleYears; year++) {
    for (let month = 1; month <= 12; month++) {
      const length = monthLength(year, month)
      for (let day = 1; fields.month.includes(month) && day <= length; day++) {
        const at = ordinal + day
        if (!fires(fields, { day, length, weekday: (firstWeekday + at - 1) % 7 })) continue
        first ??= at
        if (previous !== undefined) largest = Math.max(largest, at - previous)
        previous = at
      }
      ordinal += length
    }
  }
  if (first === undefined || previous === undefined) return undefined
  return Math.max(largest, first + cycleDays - previous)
}

interface Day {
  readonly day: number
  readonly length: number
  /** 0 = Sunday. */
  readonly weekday: number
}

function fires({ dayOfMonth, dayOfWeek }: CronFields, day: Day): boolean {
  return dayOfMonth.some((token) => isDayOfMonth(token, day)) && dayOfWeek.some((token) => isDayOfWeek(token, day))
}

/** Tokens: 15, L (last), L-3 (three before the last), 15W and LW (the working day nearest to it). */
function isDayOfMonth(token: number | string, { day, length, weekday }: Day): boolean {
  if (typeof token === 'number') return token === day
  if (token === 'L') return day === length
  const beforeLast = /^L-(\d+)$/.exec(token)?.[1]
  if (beforeLast !== undefined) return day === length - Number(beforeLast)
  const wanted = /^(\d+|L)W$/.exec(token)?.[1]
  if (wanted === undefined) return false
  const target = wanted === 'L' ? length : Number(wanted)
  return target <= length && day === nearestWorkingDay(target, length, (weekday + target - day + 35) % 7)
}

function nearestWorkingDay(target: number, length: number, weekday: number): number {
  if (weekday === 6) return target === 1 ? 3 : target - 1
  if (weekday === 0) return target === length ? target - 2 : target + 1
  return target
}

/** Tokens: 5, 5L (the last Friday of the month), 5#2 (its second Friday). */
function isDayOfWeek(token: number | string, { day, length, weekday }: Day): boolean {
  if (typeof token === 'number') return token % 7 === weekday
  const [, wanted, last, nth] = /^([0-7])(?:(L)|#([1-5]))$/i.exec(token) ?? []
  if (wanted === undefined || Number(wanted) % 7 !== weekday) return false
  return last === undefined ? Math.ceil(day / 7) === Number(nth) : day + 7 > length
}

function everyDay({ dayOfMonth, dayOfWeek }: CronFields): boolean {
  return new Set(dayOfMonth).size >= 31 && [0, 1, 2, 3, 4, 5, 6].every((weekday) => dayOfWeek.includes(weekday))
}

function monthLength(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}
