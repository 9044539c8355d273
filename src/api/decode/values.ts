import { hash } from 'node:crypto'
import { parseIsoDate, plainUtcMs } from '../../model/dates.ts'
import { dayMs } from '../../model/durations.ts'
import { isGuid } from '../../model/guid.ts'
import { kindOf } from '../json.ts'
import { fail, odd, type ParseContext } from './parse-context.ts'

const maxTextId = 200

/** True for a safe integer; two larger ids could become the same number. */
export function isIntegerId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}

/** 1 to 200 characters without control, format and direction characters, which make different ids look alike. */
export function isTextId(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= maxTextId &&
    !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(value)
  )
}

export function integerId(context: ParseContext, field: string, value: unknown): number {
  if (isIntegerId(value)) return value === 0 ? 0 : value
  fail(context, typeof value === 'number' ? `${field} is not a safe integer` : wrong(field, value, 'an integer'))
  return 0
}

/** An id that is specified as a GUID; one of another form is counted and kept; empty when unusable. */
export function guidId(context: ParseContext, field: string, value: unknown): string {
  if (typeof value === 'string' && isGuid(value)) return value
  if (isTextId(value)) {
    odd(context, 'invalid_id', field)
    return value
  }
  const rule = `${field} is not 1 to ${maxTextId} characters without control characters`
  fail(context, typeof value === 'string' ? rule : wrong(field, value, 'a string'))
  return ''
}

export function wrong(field: string, value: unknown, wanted: string): string {
  return value === undefined ? `${field} is missing` : `${field} is ${kindOf(value)}, not ${wanted}`
}

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
  if (typeof value !== 'string') fail(context, wrong(field, value, 'a string'))
  else if (value.length > maxLength) fail(context, `${field} is longer than ${maxLength} characters`)
  // Texts that differ only in these would be equal once stored.
  else if (!value.isWellFormed()) fail(context, `${field} contains half a surrogate pair`)
  else return value
  return ''
}

/**
 * A text that any user of the tenant chooses, such as a file name: a long one must not quarantine its record, because
 * then an upload could keep every check over documents `unknown`. It is cut; its digest keeps different texts apart.
 */
export function personalText(context: ParseContext, field: string, value: unknown): string {
  if (typeof value !== 'string') return strictText(context, field, value)
  if (value.length <= maxLength && value.isWellFormed()) return value
  odd(context, 'unknown_value', field)
  const digest = hash('sha256', value.isWellFormed() ? value : Buffer.from(value, 'utf16le'))
  const ending = ` (${value.length} characters, SHA-256 ${digest})`
  return `${cut(value, maxLength - ending.length)}${ending}`
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

/** A text of at most 1024 characters, longer ones cut with an ellipsis; another value is counted and becomes null. */
export function describedText(context: ParseContext, field: string, value: unknown): string | null {
  if (typeof value === 'string') {
    if (value.length <= maxLength) return value.toWellFormed()
    odd(context, 'unknown_value', field)
    return cut(value, maxLength)
  }
  odd(context, 'unknown_value', field)
  return null
}

export function describedBoolean(context: ParseContext, field: string, value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  odd(context, 'unknown_value', field)
  return null
}

function cut(text: string, length: number): string {
  const kept = text.slice(0, length - 1)
  const last = kept.charCodeAt(kept.length - 1)
  const whole = last >= 0xd800 && last <= 0xdbff ? kept.slice(0, -1) : kept
  return `${whole.toWellFormed()}…`
}
