import { dayMs, secondMs } from '../../model/durations.ts'

export const maxRetryAfterMs = dayMs

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .{10,40}$/

export function statesWait(status: number): boolean {
  return status === 429 || (status >= 500 && status < 600)
}

/** A duration in milliseconds, or a server time in milliseconds since the epoch. */
export type StatedWait = { readonly ms: number } | { readonly until: number }

/**
 * The wait of `Retry-After` (RFC 9110, section 10.2.3); null when it states none. A date counts from the answer's
 * `Date` header, so that a wrong local clock has no effect.
 */
export function statedWait(header: string | undefined, date: string | undefined): StatedWait | null {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return inMs(Number(text) * secondMs)
  const until = parseHttpDate(text)
  const from = parseHttpDate(date?.trim() ?? '')
  if (until === null || from === null) return until === null ? null : { until }
  return inMs(until - from)
}

/** Milliseconds until `until`, at most 24 hours; null when it is over. */
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
