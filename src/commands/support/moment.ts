import { parseIsoDate } from '../../model/dates.ts'
import { dayMs, parseDuration } from '../../model/durations.ts'
import { UsageError } from '../../model/errors.ts'

/**
 * Reads a time of the command line: an ISO 8601 date-time (UTC without an offset), a day, or how long ago (`30d`).
 *
 * @param day whether a date without time means its start or its end.
 * @throws UsageError without the given text.
 */
export function readMoment(option: string, text: string, { now, day }: { now: number; day: 'start' | 'end' }): number {
  const ago = parseDuration(text)
  if (ago !== undefined) return now - ago
  const date = parseIsoDate(text)
  if (date === undefined) {
    throw new UsageError(`${option} is not a time; want one such as 2026-03-31, 2026-03-31T18:00:00Z or 30d`)
  }
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  return isDay && day === 'end' ? date.ms + dayMs - 1 : date.ms
}
