import { validateDetailed } from 'node-cron'
import { dayMs, hourMs, minuteMs, secondMs } from '../model/durations.ts'
import { textThat } from './leaves.ts'

export interface CronSchedule {
  readonly expression: string
  /** Largest gap between two runs in milliseconds. */
  readonly intervalMs: number
}

const wantedCron = 'five cron fields (minute hour day month weekday), or six with seconds first, without L, W and #'

export function cron() {
  return textThat(wantedCron, (expression) => {
    const read = readCron(expression)
    return 'problem' in read ? read.problem : null
  })
}

/** Computes the largest gap between two runs over the whole calendar; every day counts as 24 hours. */
export function readCron(expression: string): CronSchedule | { readonly problem: string } {
  const fields = readFields(expression)
  if ('problem' in fields) return fields
  const days = largestDayGap(fields)
  if (days === undefined) return { problem: 'it never fires, because day, month and weekday never meet' }
  const times = timesOfDay(fields)
  const overnight = days * dayMs + (times[0] ?? 0) - (times.at(-1) ?? 0)
  const intervalMs = times.reduce(
    (largest, time, index) => Math.max(largest, time - (times[index - 1] ?? time)),
    overnight,
  )
  return { expression, intervalMs }
}

/** The schedule of an expression that was validated. */
export function cronSchedule(expression: string): CronSchedule {
  const read = readCron(expression)
  if ('problem' in read) throw new Error(`Schedule ${expression} is not usable: ${read.problem}`)
  return read
}

interface CronFields {
  readonly second: readonly number[]
  readonly minute: readonly number[]
  readonly hour: readonly number[]
  readonly dayOfMonth: readonly (number | string)[]
  readonly month: readonly number[]
  readonly dayOfWeek: readonly (number | string)[]
}

const fieldNames: Readonly<Record<string, string>> = { dayOfMonth: 'day of month', dayOfWeek: 'day of week' }

/** Parses an expression with the parser of the scheduler, so that both accept the same expressions. */
function readFields(expression: string): CronFields | { readonly problem: string } {
  const { valid, fields, errors } = validateDetailed(expression)
  if (valid && fields !== undefined) {
    const isPlain = [...fields.dayOfMonth, ...fields.dayOfWeek].every((token) => typeof token === 'number')
    return isPlain ? fields : { problem: `expected ${wantedCron}` }
  }
  const [error] = errors
  if (error === undefined || error.field === 'expression') return { problem: `expected ${wantedCron}` }
  if (/impossible/.test(error.message)) return { problem: 'it never fires, because no such day exists' }
  const name = fieldNames[error.field] ?? error.field
  return { problem: `${name} cannot be ${JSON.stringify(error.value)}; expected ${wantedCron}` }
}

/** The run times of one day in ascending order, in milliseconds since midnight. */
function timesOfDay({ hour, minute, second }: CronFields): number[] {
  const times: number[] = []
  for (const h of hour)
    for (const m of minute) for (const s of second) times.push(h * hourMs + m * minuteMs + s * secondMs)
  return times.sort((a, b) => a - b)
}

/** The Gregorian calendar repeats, weekdays included, after 400 years. */
const cycleDays = 146_097
const cycleStart = Date.UTC(2000, 0, 1)

/** Day of month and day of week must both fit, as in node-cron (other crons take either); undefined when no day does. */
function largestDayGap({ dayOfMonth, month, dayOfWeek }: CronFields): number | undefined {
  const [days, months, weekdays] = [
    new Set(dayOfMonth),
    new Set(month),
    new Set(dayOfWeek.map((day) => Number(day) % 7)),
  ]
  if (days.size === 31 && months.size === 12 && weekdays.size === 7) return 1
  let first: number | undefined
  let previous: number | undefined
  let largest = 0
  for (let day = 0; day < cycleDays; day++) {
    const date = new Date(cycleStart + day * dayMs)
    if (!months.has(date.getUTCMonth() + 1) || !days.has(date.getUTCDate()) || !weekdays.has(date.getUTCDay())) continue
    first ??= day
    if (previous !== undefined) largest = Math.max(largest, day - previous)
    previous = day
  }
  if (first === undefined || previous === undefined) return undefined
  return Math.max(largest, first + cycleDays - previous)
}
