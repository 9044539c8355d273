import { textAs } from '../yaml/leaves.ts'

const wanted = 'want a time zone such as UTC or Europe/Berlin'

/** An IANA time zone that this runtime knows. */
export function timezone() {
  return textAs(wanted, (value) => (isTimezone(value) ? { value } : { problem: wanted }))
}

function isTimezone(name: string): boolean {
  // The default is known without the tables of all zones, which stay in memory once they were needed.
  if (name === 'UTC') return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
