import { kindOf } from './kind-of.ts'
import { fail, odd, type ParseContext } from './parse-context.ts'

const maxTextId = 200

/** True for a safe integer: beyond it two identifiers could become one. */
export function isIntegerId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}

/** 1 to 200 characters, without control, format and direction characters, which make different ids look alike. */
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

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function isGuid(text: string): boolean {
  return guid.test(text)
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
