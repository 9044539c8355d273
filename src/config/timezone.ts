import { textAs } from './leaves.ts'

const wanted = 'want a time zone such as UTC or Europe/Berlin'

/** An IANA time zone that this runtime knows. */
export function timezone() {
  return textAs(wanted, (value) => (isTimezone(value) ? { value } : { problem: wanted }))
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
