import { validateDetailed } from 'node-cron'
import type { Read } from '../yaml/leaves.ts'

export interface CronFields {
  readonly second: readonly number[]
  readonly minute: readonly number[]
  readonly hour: readonly number[]
  readonly dayOfMonth: readonly (number | string)[]
  readonly month: readonly number[]
  readonly dayOfWeek: readonly (number | string)[]
}

export const wantedCron = 'want five cron fields (minute hour day month weekday), or six with seconds first'

/** Parses an expression with the parser of the scheduler, so that both accept the same expressions. */
export function readCronFields(expression: string): Read<CronFields> {
  const { valid, fields, errors } = validateDetailed(expression)
  if (valid && fields !== undefined) return { value: fields }
  const [error] = errors
  if (error === undefined || error.field === 'expression') return { problem: wantedCron }
  const { field, value } = error
  if (/impossible/.test(error.message)) return { problem: 'it never fires, because no such day exists' }
  return { problem: `${fieldNames[field] ?? field} cannot be ${JSON.stringify(value)}; ${wantedCron}` }
}

const fieldNames: Readonly<Record<string, string>> = { dayOfMonth: 'day of month', dayOfWeek: 'day of week' }
