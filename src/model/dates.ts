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
