import { dayMs, secondMs } from '../../model/durations.ts'

/** A stated wait is taken for at most 24 hours. */
export const maxRetryAfterMs = dayMs

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .{10,40}$/

/** Whether answers of this status ask by `Retry-After` to be left alone. */
export function statesWait(status: number): boolean {
  return status === 429 || (status >= 500 && status < 600)
}

/** A wait in milliseconds, or until a time of the server's clock in milliseconds since the epoch. */
export type StatedWait = { readonly ms: number } | { readonly until: number }

/**
 * The wait that a `Retry-After` header asks for (RFC 9110, section 10.2.3), at most 24 hours. A date is measured from the
 * answer's own `Date` header where there is one, so that a wrong clock here changes nothing; otherwise it is left to
 * `waitUntil`.
 *
 * @returns null when the header is absent, not understood or asks for nothing.
 */
export function statedWait(header: string | undefined, date: string | undefined): StatedWait | null {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return inMs(Number(text) * secondMs)
  const until = parseHttpDate(text)
  const from = parseHttpDate(date?.trim() ?? '')
  if (until === null || from === null) return until === null ? null : { until }
  return inMs(until - from)
}

/** How long a wait until `until` is, in milliseconds, at most 24 hours; null when that time has come. */
export function waitUntil(until: number, now: number): number | null {
  return bounded(until - now)
}

function inMs(wanted: number): StatedWait | null {
  const ms = bounded(wanted)
  return ms === null ? null : { ms }
}

function parseHttpDate(text: string): number | null {
  const ms = httpDate.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

function bounded(ms: number): number | null {
  return ms > 0 ? Math.min(ms, maxRetryAfterMs) : null
}
