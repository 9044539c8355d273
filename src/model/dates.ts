const pattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:(Z|z)|([+-])(\d{2}):?(\d{2}))?$/
const dateOnly = /^(\d{4})-(\d{2})-(\d{2})$/

export interface ParsedDate {
  /** Milliseconds since the epoch. */
  readonly ms: number
  /** False when the text named no offset and UTC was assumed. */
  readonly hasOffset: boolean
}

/**
 * Reads an ISO 8601 date-time strictly: the calendar day must exist, week dates, `24:00` and leap seconds are refused,
 * a missing offset means UTC whatever the zone of this machine. Fractions beyond milliseconds are cut.
 *
 * @returns undefined when the text is not such a date.
 */
export function parseIsoDate(text: unknown): ParsedDate | undefined {
  if (typeof text !== 'string') return undefined
  const plain = plainUtcMs(text)
  if (plain !== undefined) return { ms: plain, hasOffset: true }
  const match = pattern.exec(text) ?? dateOnly.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zulu, sign, oh, om] = match
  const numbers = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const [y, mo, d, h, mi, s] = numbers
  if (mo < 1 || mo > 12 || d < 1 || d > daysInMonth(y, mo) || h > 23 || mi > 59 || s > 59) return undefined
  const offset = offsetMinutes(sign, oh, om)
  if (offset === undefined) return undefined
  const date = new Date(0)
  date.setUTCFullYear(y, mo - 1, d)
  date.setUTCHours(h, mi - offset, s, Number(fraction.slice(0, 3).padEnd(3, '0')))
  return { ms: date.getTime(), hasOffset: zulu !== undefined || sign !== undefined }
}

/** Milliseconds since the epoch of an ISO 8601 date-time as `parseIsoDate` reads it, null for anything else. */
export function isoMs(text: unknown): number | null {
  if (typeof text !== 'string') return null
  return plainUtcMs(text) ?? parseIsoDate(text)?.ms ?? null
}

const [zero, colon, dash, dot, capitalT, capitalZ] = [0x30, 0x3a, 0x2d, 0x2e, 0x54, 0x5a]

/**
 * The form that almost every date has, `2026-01-02T03:04:05Z` with or without three digits of a fraction, some ten times
 * as fast as the pattern; undefined for any other text, which need not be wrong.
 */
function plainUtcMs(text: string): number | undefined {
  const { length } = text
  if ((length !== 20 && length !== 24) || text.charCodeAt(length - 1) !== capitalZ) return undefined
  if (text.charCodeAt(4) !== dash || text.charCodeAt(7) !== dash || text.charCodeAt(10) !== capitalT) return undefined
  if (text.charCodeAt(13) !== colon || text.charCodeAt(16) !== colon) return undefined
  if (length === 24 && text.charCodeAt(19) !== dot) return undefined
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const second = twoDigits(text, 17)
  const ms = length === 24 ? digit(text, 20) * 100 + twoDigits(text, 21) : 0
  // Date.UTC takes years below 100 for those of the twentieth century; NaN fails each of these.
  if (!(year >= 100 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) return undefined
  if (!(hour <= 23 && minute <= 59 && second <= 59 && ms >= 0)) return undefined
  return Date.UTC(year, month - 1, day, hour, minute, second, ms)
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1)
}

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - zero
  return value >= 0 && value <= 9 ? value : Number.NaN
}

function offsetMinutes(sign?: string, hours?: string, minutes?: string): number | undefined {
  if (sign === undefined) return 0
  const h = Number(hours)
  const m = Number(minutes)
  if (h > 18 || m > 59) return undefined
  return (sign === '-' ? -1 : 1) * (h * 60 + m)
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Milliseconds since the epoch as ISO 8601 in UTC; years outside four digits keep JavaScript's expanded form. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString()
}
