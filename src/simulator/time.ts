import type { TimestampStyle } from './readings.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Formats an instant (epoch milliseconds) in a style of ISO 8601. */
export function formatTimestamp(ms: number, style: TimestampStyle): string {
  switch (style) {
    case 'z':
      return new Date(ms).toISOString()
    case 'z7':
      return new Date(ms).toISOString().replace('Z', '1230Z')
    case 'no-offset':
      return new Date(ms).toISOString().slice(0, -1)
    case 'offset':
      return new Date(ms + 2 * HOUR).toISOString().replace('Z', '+02:00')
    default:
      return style satisfies never
  }
}

const iso = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/

/** Epoch milliseconds of an ISO 8601 text (no offset = UTC); null for other texts. */
export function parseTimestamp(text: string): number | null {
  const match = iso.exec(text)
  if (match === null) return null
  const [, date = '', time = '00:00', offset = 'Z'] = match
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // Date.parse accepts 30 February as a day in March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return null
  const ms = Date.parse(`${date}T${time}${offset}`)
  return Number.isNaN(ms) ? null : ms
}
