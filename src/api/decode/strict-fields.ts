import { parseIsoDate, plainUtcMs } from '../../model/dates.ts'
import { dayMs } from '../../model/durations.ts'
import { wrong } from './identifiers.ts'
import { fail, odd, type ParseContext } from './parse-context.ts'

const maxLength = 1024

/** Last plausible instant of a creation or change, in milliseconds since the epoch; unlimited without a server time. */
export function latestDate(serverTime: number | null): number {
  return serverTime === null ? Number.POSITIVE_INFINITY : serverTime + dayMs
}

/** No coercion: `"false"` is truthy in JavaScript, and a check would pass for it. */
export function strictBoolean(context: ParseContext, field: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  fail(context, wrong(field, value, 'a boolean'))
  return false
}

export function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxLength
}

export function strictText(context: ParseContext, field: string, value: unknown): string {
  if (isShortText(value)) return value.toWellFormed()
  fail(
    context,
    typeof value === 'string' ? `${field} is longer than ${maxLength} characters` : wrong(field, value, 'a string'),
  )
  return ''
}

export function strictWord(context: ParseContext, field: string, value: unknown, known: readonly string[]): string {
  const text = strictText(context, field, value)
  if (context.problem === null && !known.includes(text)) odd(context, 'unknown_value', field)
  return text
}

/** An ISO 8601 date as sent; one without an offset means UTC. `latest` in milliseconds since the epoch. */
export function strictDate(
  context: ParseContext,
  field: string,
  value: unknown,
  latest = Number.POSITIVE_INFINITY,
): string {
  if (typeof value !== 'string') {
    fail(context, wrong(field, value, 'a date'))
    return ''
  }
  let ms = plainUtcMs(value)
  if (ms === undefined) {
    const parsed = parseIsoDate(value)
    if (parsed?.hasOffset === false) odd(context, 'no_offset', field)
    ms = parsed?.ms
  }
  if (ms !== undefined && ms <= latest) return value
  const problem =
    ms === undefined ? 'not an ISO 8601 date that exists' : "more than 24 hours ahead of the server's time"
  fail(context, `${field} is ${problem}`)
  return ''
}
