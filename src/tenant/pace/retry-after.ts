import { hourMs, secondMs } from '../../model/durations.ts'

/** A stated wait is taken for at most one hour. */
export const maxRetryAfterMs = hourMs

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .{10,40}$/

/** Whether answers of this status ask by `Retry-After` to be left alone. */
export function statesWait(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status < 600)
}

/**
 * The wait that a `Retry-After` header asks for (RFC 9110, section 10.2.3), in milliseconds, at most one hour. A date is
 * measured from the answer's own `Date` header where there is one, so that a wrong clock here changes nothing.
 *
 * @returns null when the header is absent, not understood or asks for nothing.
 */
export function retryAfterMs(header: string | undefined, date: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return bounded(Number(text) * secondMs)
  const until = parseHttpDate(text)
  if (until === null) return null
  return bounded(until - (parseHttpDate(date?.trim() ?? '') ?? nowMs))
}

function parseHttpDate(text: string): number | null {
  const ms = httpDate.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

function bounded(ms: number): number | null {
  return ms > 0 ? Math.min(ms, maxRetryAfterMs) : null
}
