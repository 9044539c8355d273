import { validateDetailed } from 'node-cron'
import { memoize } from '../model/memoize.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../model/time.ts'
import { textThat } from './values.ts'

export interface CronSchedule {
  readonly expression: string
  /** Largest gap between two runs in milliseconds. */
  readonly intervalMs: number
}

const wantedCron = 'five cron fields (minute hour day month weekday) without L, W and #'

/** @param seconds true accepts a sixth field before the others, for the demo and for tests. */
export function cron(seconds: boolean) {
  return textThat(wantedCron, (expression) => {
    const read = readCron(expression)
    if ('problem' in read) return read.problem
    return seconds || expression.trim().split(/\s+/).length < 6 ? null : `expected ${wantedCron}`
  })
}

/** Computes the largest gap between two runs over the whole calendar; every day counts as 24 hours. */
export const readCron = memoize((expression: string): CronSchedule | { readonly problem: string } => {
  const fields = readFields(expression)
  if ('problem' in fields) return fields
  const days = largestDayGap(daysOf(fields))
  if (days === 0) return { problem: 'it never fires, because day, month and weekday never meet' }
  const times = timesOfDay(fields)
  const overnight = days * dayMs + (times[0] ?? 0) - (times.at(-1) ?? 0)
  return { expression, intervalMs: Math.max(overnight, largest(gaps(times, dayMs).slice(0, -1))) }
})

/** The schedule of an expression that was validated. */
export function cronSchedule(expression: string): CronSchedule {
  const read = readCron(expression)
  if ('problem' in read) throw new Error(`Schedule ${expression} is not usable: ${read.problem}`)
  return read
}

type Fields = NonNullable<ReturnType<typeof validateDetailed>['fields']>

/** Parses an expression with the parser of the scheduler, so that both accept the same expressions. */
function readFields(expression: string): Fields | { readonly problem: string } {
  const { valid, fields, errors } = validateDetailed(expression)
  if (valid && fields !== undefined) {
    const isPlain = [...fields.dayOfMonth, ...fields.dayOfWeek].every((token) => typeof token === 'number')
    return isPlain ? fields : { problem: `expected ${wantedCron}` }
  }
  const [error] = errors
  if (error === undefined || error.field === 'expression') return { problem: `expected ${wantedCron}` }
  if (/impossible/.test(error.message)) return { problem: 'it never fires, because no such day exists' }
  const name = error.field.replace('dayOf', 'day of ').toLowerCase()
  return { problem: `${name} cannot be ${JSON.stringify(error.value)}; expected ${wantedCron}` }
}

/** The run times of one day in ascending order, in milliseconds since midnight. */
export function timesOfDay({ hour, minute, second }: Fields): readonly number[] {
  const times = hour.flatMap((h) => minute.flatMap((m) => second.map((s) => h * hourMs + m * minuteMs + s * secondMs)))
  return [...new Set(times)].sort((a, b) => a - b)
}

/** The Gregorian calendar repeats, weekdays included, after 400 years. */
const cycleDays = 146_097

/** Day of month and of week must both fit, as in node-cron (other crons take either). */
export function daysOf({ dayOfMonth, month, dayOfWeek }: Fields) {
  const [days, months] = [new Set(dayOfMonth), new Set(month)]
  // 0 and 7 are Sunday.
  const weekdays = new Set(dayOfWeek.map((day) => Number(day) % 7))
  return {
    isDaily: days.size === 31 && months.size === 12 && weekdays.size === 7,
    /** By the day at whose beginning in UTC the time in milliseconds since the epoch is. */
    has(midnight: number): boolean {
      const date = new Date(midnight)
      return months.has(date.getUTCMonth() + 1) && days.has(date.getUTCDate()) && weekdays.has(date.getUTCDay())
    },
  }
}

/** 0 when no day fits. */
function largestDayGap(days: ReturnType<typeof daysOf>): number {
  if (days.isDaily) return 1
  const fitting = Array.from({ length: cycleDays }, (_, day) => day).filter((day) => days.has(day * dayMs))
  return largest(gaps(fitting, cycleDays))
}

/** The distances of numbers in ascending order; the last one from the last number to the first of the next cycle. */
function gaps(numbers: readonly number[], cycle: number): readonly number[] {
  return numbers.map((one, at) => (numbers[at + 1] ?? (numbers[0] ?? 0) + cycle) - one)
}

function largest(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b), 0)
}
