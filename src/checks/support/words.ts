import { toIso } from '../../model/dates.ts'

const longest = 80

/** An instant as a sentence names it: `2026-03-01 09:30 UTC`. */
export function onDate(ms: number): string {
  return `${toIso(ms).slice(0, -8).replace('T', ' ')} UTC`
}

/** A text that the tenant wrote, within quotes, control characters escaped and no longer than a sentence bears. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text)
}

/** `1 day`, `30 days`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A list as a sentence names it, cut after five. */
export function listed(texts: readonly string[]): string {
  const more = texts.length - 5
  return more > 0 ? `${texts.slice(0, 5).join(', ')} and ${more} more` : texts.join(', ')
}
