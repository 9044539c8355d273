import { hash } from 'node:crypto'
import type { Field } from '../../model/fields.ts'
import { guidKey, isGuid } from '../../model/guid.ts'
import { kindOf } from '../../model/text/json.ts'
import { knownWord } from '../../model/text/words.ts'
import { parseIsoDate } from '../../model/time.ts'
import type { Oddity } from '../reader.ts'

/** What is known of one record while it is read. */
export interface ParseContext {
  /** The last plausible time in milliseconds since the epoch. */
  readonly latest: number
  problem: string | null
  oddities: Oddity[] | null
}

const maxOddities = 100

/** Detail of an absent field; its value is null. */
const absent = 'missing'

export function odd(context: ParseContext, kind: Oddity['kind'], field: string, detail?: string): void {
  context.oddities ??= []
  const known = context.oddities
  if (known.length < maxOddities && !known.some((one) => one.field === field && one.kind === kind)) {
    known.push(detail === undefined ? { kind, field } : { kind, field, detail })
  }
}

export function fail(context: ParseContext, problem: string): null {
  context.problem ??= problem
  return null
}

export function failKind(context: ParseContext, field: string, value: unknown, wanted: string): null {
  return fail(context, value === undefined ? `${field} is missing` : `${field} is ${kindOf(value)}, not ${wanted}`)
}

/** True for a safe integer; two larger ids could become the same number. */
export function isIntegerId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}

const maxTextId = 200
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** 1 to 200 characters without control, format and direction characters, which make different ids look alike. */
export function isTextId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxTextId && !unseen.test(value)
}

type SimpleField = Exclude<Field, { readonly kind: 'list' }>

/** Reads the value of a field; null where it is unusable, which `problem` says of a strict field. */
export function readValue(context: ParseContext, field: SimpleField, name: string, value: unknown): unknown {
  if (value === null || value === undefined) {
    const { nullable } = field
    if (field.optional === true || (value === null && (nullable === true || nullable === 'stated'))) return null
    if (nullable === true || nullable === 'counted') {
      if (field.requiredWith === undefined) odd(context, 'unknown_value', name, nullable === true ? absent : undefined)
      return null
    }
  }
  switch (field.kind) {
    case 'integer':
      return readInteger(context, name, value)
    case 'guid':
      return readGuid(context, name, value)
    case 'text':
      return field.strict === true ? readStrictText(context, field, name, value) : readText(context, name, value)
    case 'flag':
      // No coercion: `"false"` is truthy in JavaScript, and a check would pass for it.
      if (typeof value === 'boolean') return value
      if (field.strict === true) return failKind(context, name, value, 'a boolean')
      odd(context, 'unknown_value', name)
      return null
    case 'date':
      return readDate(context, name, value, field.pastOnly === true ? context.latest : Number.POSITIVE_INFINITY)
    default:
      throw new TypeError(`Unknown kind of field ${field satisfies never}`)
  }
}

function readInteger(context: ParseContext, name: string, value: unknown): number | null {
  if (isIntegerId(value)) return value === 0 ? 0 : value
  if (typeof value === 'number') return fail(context, `${name} is not a safe integer`)
  return failKind(context, name, value, 'an integer')
}

/** An id that is specified as a GUID; one of another form is counted and kept. */
function readGuid(context: ParseContext, name: string, value: unknown): string | null {
  if (typeof value === 'string' && isGuid(value)) return value
  if (isTextId(value)) {
    const canonical = guidKey(value)
    if (isGuid(canonical)) return canonical
    odd(context, 'invalid_id', name)
    return value
  }
  if (typeof value !== 'string') return failKind(context, name, value, 'a string')
  return fail(context, `${name} is not 1 to ${maxTextId} characters without control characters`)
}

const maxLength = 1024
/** Of a longer text that is cut in the middle. */
const mostOfEnd = 200

function readStrictText(context: ParseContext, field: SimpleField & { kind: 'text' }, name: string, value: unknown) {
  if (typeof value !== 'string') return failKind(context, name, value, 'a string')
  const isPlain = value.length <= maxLength && value.isWellFormed()
  if (!isPlain && field.personal === true) return cutWithDigest(context, name, value)
  if (value.length > maxLength) return fail(context, `${name} is longer than ${maxLength} characters`)
  // Texts that differ only in these would be equal once stored.
  if (!isPlain) return fail(context, `${name} contains half a surrogate pair`)
  if (field.filled === true && value.trim() === '') return fail(context, `${name} is empty`)
  // Other known values come from a setting and are compared elsewhere: the decoder has no settings.
  return knownWord(field.known?.words ?? [], value) ?? value
}

/**
 * A text that any user of the tenant chooses, such as a file name: a long one must not quarantine its record, because
 * then an upload could keep every check over documents `unknown`. It is cut in the middle, so that patterns still match its ends; its digest
 * keeps different texts apart.
 */
function cutWithDigest(context: ParseContext, name: string, value: string): string {
  odd(context, 'unknown_value', name)
  const digest = hash('sha256', value.isWellFormed() ? value : Buffer.from(value, 'utf16le'))
  const middle = ` (${value.length} characters, SHA-256 ${digest})`
  const end = value.length > maxLength ? `…${value.slice(-mostOfEnd).toWellFormed()}` : ''
  return `${cut(value, maxLength - middle.length - end.length)}${middle}${end}`
}

/** A text of at most 1024 characters, longer ones cut with an ellipsis; another value is counted and becomes null. */
function readText(context: ParseContext, name: string, value: unknown): string | null {
  if (typeof value === 'string' && value.length <= maxLength) return value.toWellFormed()
  odd(context, 'unknown_value', name)
  return typeof value === 'string' ? cut(value, maxLength) : null
}

/** An ISO 8601 date as sent; one without an offset means UTC. `latest` in milliseconds since the epoch. */
function readDate(context: ParseContext, name: string, value: unknown, latest: number): string | null {
  if (typeof value !== 'string') return failKind(context, name, value, 'a date')
  const parsed = parseIsoDate(value)
  if (parsed === undefined) return fail(context, `${name} is not an ISO 8601 date that exists`)
  if (!parsed.hasOffset) odd(context, 'no_offset', name)
  return parsed.ms <= latest ? value : fail(context, `${name} is more than 24 hours ahead of the server's time`)
}

function cut(text: string, length: number): string {
  const kept = text.slice(0, length - 1)
  const last = kept.charCodeAt(kept.length - 1)
  const whole = last >= 0xd800 && last <= 0xdbff ? kept.slice(0, -1) : kept
  return `${whole.toWellFormed()}…`
}
