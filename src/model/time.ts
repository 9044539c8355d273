export const secondMs = 1000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

const units: Readonly<Record<string, number>> = { ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs }

export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(ms|s|m|h|d))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|s|m|h|d)/g)) total += Number(amount) * (units[unit ?? ''] ?? 0)
  return Number.isSafeInteger(total) ? total : undefined
}

/** In the largest unit that leaves no rest, such as `90m`; `parseDuration` reads it. */
export function formatDuration(ms: number): string {
  const [unit, unitMs] = Object.entries(units).findLast(([, size]) => ms % size === 0) ?? ['ms', 1]
  return `${ms / unitMs}${unit}`
}

const few = 10

export function describeDuration(ms: number): string {
  const abs = Math.abs(ms)
  const [days, hours] = [Math.floor(abs / dayMs), Math.floor(abs / hourMs)]
  if (days >= 2) return `${days} days${rest(days, hours % 24, 'h')}`
  if (hours >= 1) return `${hours} h${rest(hours, Math.floor(abs / minuteMs) % 60, 'min')}`
  if (abs >= minuteMs) return `${Math.floor(abs / minuteMs)} min`
  return `${Math.floor(abs / secondMs)} s`
}

function rest(whole: number, part: number, unit: string): string {
  return whole < few && part > 0 ? ` ${part} ${unit}` : ''
}

/** `5 min ago`, `in 3 days`, `now`. */
export function distance(ms: number, now: number): string {
  if (Math.abs(ms - now) < 1000) return 'now'
  return ms < now ? `${describeDuration(now - ms)} ago` : `in ${describeDuration(ms - now)}`
}

/** The usual form in UTC, with or without milliseconds, which `Date.parse` reads fast. */
const plain = /^\d{4}-\d\d-\d\dT(?!24)\d\d:\d\d:\d\d(?:\.\d{3})?Z$/
const pattern =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:(Z|z)|([+-])(\d{2})(?::?(\d{2}))?)?)?$/

export interface ParsedDate {
  readonly ms: number
  /** False when the text named no offset and UTC was assumed. */
  readonly hasOffset: boolean
}

/** Strict ISO 8601: no week dates, no `24:00`. A leap second is read as the next second; a missing offset means UTC. */
export function parseIsoDate(text: unknown): ParsedDate | undefined {
  if (typeof text !== 'string') return undefined
  if (plain.test(text)) {
    const ms = Date.parse(text)
    if (isOnDay(ms, text)) return { ms, hasOffset: true }
  }
  const [, day, hours = '0', minutes = '0', seconds = '0', fraction = '', zulu, sign, oh = '0', om = '0'] =
    pattern.exec(text) ?? []
  if (day === undefined) return undefined
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)]
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (!isOnDay(midnight, day) || hour > 23 || minute > 59 || second > 60) return undefined
  if (Number(oh) > 18 || Number(om) > 59) return undefined
  const offset = (sign === '-' ? -1 : 1) * (Number(oh) * 60 + Number(om))
  // A leap second is only added at the end of a UTC day.
  if (second === 60 && (hour * 60 + minute - offset + 2 * 1440) % 1440 !== 1439) return undefined
  const ms = ((hour * 60 + minute - offset) * 60 + second) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
  return { ms: midnight + ms, hasOffset: zulu !== undefined || sign !== undefined }
}

/** False for 30 February, which `Date.parse` reads as a day in March. Every month has the days before. */
function isOnDay(ms: number, text: string): boolean {
  const day = Number(text.slice(8, 10))
  return Number.isFinite(ms) && (day < 29 || new Date(ms).getUTCDate() === day)
}

/** Milliseconds since the epoch; null for other values. */
export function isoMs(text: unknown): number | null {
  return parseIsoDate(text)?.ms ?? null
}

/** True for instants of one second, because some servers send no fraction, and where one of them is missing. */
export function mayBeOneSecond(a: unknown, b: unknown): boolean {
  const [one, other] = [isoMs(a), isoMs(b)]
  return one === null || other === null || Math.floor(one / 1000) === Math.floor(other / 1000)
}

export function toIso(ms: number): string {
  return new Date(ms).toISOString()
}

/** Null for null, which means never. */
export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms)
}

/** The day in UTC, such as `2026-03-31`. @param ms since the epoch */
export function dayOf(ms: number): string {
  return toIso(ms).slice(0, 10)
}

export function createdAtOf(record: unknown): number | null {
  return typeof record === 'object' && record !== null && 'createdAt' in record ? isoMs(record.createdAt) : null
}
