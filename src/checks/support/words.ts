import { toIso } from '../../model/time.ts'

const longest = 80

/** `2026-03-01 09:30 UTC`. */
export function onDate(ms: number): string {
  return `${toIso(ms).slice(0, -8).replace('T', ' ')} UTC`
}

/** A text from the tenant in quotes, with control characters escaped, cut after 80 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text)
}

/** A plain word such as `Invited` as it is; any other text quoted. */
export function plainOrQuoted(text: string): string {
  return /^[A-Za-z]{1,30}$/.test(text) ? text : quoted(text)
}

/** `1 day`, `30 days`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
