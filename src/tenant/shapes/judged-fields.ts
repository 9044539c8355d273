import { parseIsoDate } from '../../model/dates.ts'
import { type Draft, fail, odd } from './draft.ts'
import { wrong } from './identifiers.ts'

const maxLength = 1024

/** A real boolean: `"false"` is true in JavaScript, and a check would be green for it. */
export function judgedBoolean(draft: Draft, field: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  fail(draft, wrong(field, value, 'a boolean'))
  return false
}

export function judgedText(draft: Draft, field: string, value: unknown): string {
  if (typeof value === 'string' && value.length <= maxLength) return value.toWellFormed()
  fail(
    draft,
    typeof value === 'string' ? `${field} is longer than ${maxLength} characters` : wrong(field, value, 'a string'),
  )
  return ''
}

/** A text, or null when the field is null or absent. */
export function judgedTextOrNull(draft: Draft, field: string, value: unknown): string | null {
  return value === null || value === undefined ? null : judgedText(draft, field, value)
}

/** One of `known`; any other text is kept and counted. */
export function judgedWord(draft: Draft, field: string, value: unknown, known: readonly string[]): string {
  const text = judgedText(draft, field, value)
  if (draft.problem === null && !known.includes(text)) odd(draft, 'unknown_value', field)
  return text
}

/** An ISO 8601 date as sent; one without an offset means UTC and is counted. */
export function judgedDate(draft: Draft, field: string, value: unknown): string {
  if (typeof value === 'string') {
    const parsed = parseIsoDate(value)
    if (parsed !== undefined) {
      if (!parsed.hasOffset) odd(draft, 'unknown_value', field)
      return value
    }
  }
  fail(
    draft,
    typeof value === 'string' ? `${field} is not an ISO 8601 date that exists` : wrong(field, value, 'a date'),
  )
  return ''
}

export function judgedDateOrNull(draft: Draft, field: string, value: unknown): string | null {
  return value === null || value === undefined ? null : judgedDate(draft, field, value)
}
