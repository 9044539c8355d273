import { InvalidArgumentError, Option } from 'commander'
import type { Settings } from '../../config/settings.ts'
import { nearest } from '../../config/yaml/nearest.ts'
import { parseIsoDate } from '../../model/dates.ts'
import { dayMs, parseDuration } from '../../model/durations.ts'
import { UsageError } from '../../model/errors.ts'
import { isAtLeast, type Severity, severities } from '../../model/severity.ts'

/** The word in quotation marks after a space; empty if it is long and may be a secret. */
export function repeated(given: string | undefined): string {
  return given !== undefined && /^[\w.:+-]+(?: [\w.:+-]+)*$/.test(given) && given.length <= 12 ? ` "${given}"` : ''
}

/** An ISO 8601 time (UTC without an offset), a day, or how long ago (`30d`). @throws UsageError */
export function readMoment(option: string, text: string, { now, day }: { now: number; day: 'start' | 'end' }): number {
  const ago = parseDuration(text)
  if (ago !== undefined) return now - ago
  const date = parseIsoDate(text)
  if (date === undefined) {
    throw new UsageError(
      `Invalid value of ${option}${repeated(text)}: expected a time such as 2026-03-31, 2026-03-31T18:00:00Z or 30d`,
    )
  }
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  return isDay && day === 'end' ? date.ms + dayMs - 1 : date.ms
}

/** Least length of a reason, which auditors read. */
export const leastReason = 10

/** @throws UsageError */
export function insistOnReason(reason: string): void {
  if (reason.length >= leastReason) return
  throw new UsageError(
    `Give a reason with --reason TEXT, in ${leastReason} characters or more: it is kept for auditors`,
  )
}

/** Returns undefined unchanged. */
export function oneOf<const T extends string>(what: string, words: readonly T[], given: string): T
export function oneOf<const T extends string>(
  what: string,
  words: readonly T[],
  given: string | undefined,
): T | undefined
export function oneOf<const T extends string>(what: string, words: readonly T[], given: string | undefined) {
  const found = words.find((word) => word === given)
  if (found !== undefined || given === undefined) return found
  const meant = nearest(given, words) ?? beginning(given, words)
  // A word close to a known one is not a secret.
  if (meant !== undefined) throw new UsageError(`Unknown ${what} "${given}"; did you mean ${meant}?`)
  throw new UsageError(`Unknown ${what}${repeated(given)}: expected one of ${words.join(', ')}`)
}

/** The name of a configured tenant. Undefined stays undefined. @throws UsageError */
export function tenantOption({ tenants }: Pick<Settings, 'tenants'>, given: string | undefined): string | undefined {
  const names = tenants.map(({ name }) => name)
  return oneOf('tenant', names, given)
}

/** The only word that begins so; undefined for a few letters, which are no hint. */
function beginning<T extends string>(given: string, words: readonly T[]): T | undefined {
  const [first, ...others] = words.filter((word) => given.length > 2 && word.startsWith(given.toLowerCase()))
  return others.length === 0 ? first : undefined
}

/** Reads the lowest severity that counts; a list of severities is refused with the reason. */
export function leastSeverity(option: string, given: string | undefined): Severity | undefined {
  if (given === undefined || !/[\s,]/.test(given.trim())) return oneOf('severity', severities, given?.trim())
  throw new UsageError(
    `${option} takes one word, the lowest severity that counts: "${option} high" includes critical; expected one of ${severities.join(', ')}`,
  )
}

/** One severity means it and all higher ones, a list such as `critical,high` exactly its members. */
export function wantedSeverities(given: string | undefined): readonly Severity[] | undefined {
  if (given === undefined) return undefined
  const words = given
    .trim()
    .split(/[\s,]+/)
    .map((word) => oneOf('severity', severities, word))
  const [least, ...others] = words
  return severities.filter((one) =>
    others.length > 0 ? words.includes(one) : least !== undefined && isAtLeast(one, least),
  )
}

/** An option that may repeat: its default is a list. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be repeated`)
    .argParser((value, before: readonly string[]) => [...before, value])
    .default([], 'none')
}

/** Reads a port; 0 means any free one. */
export function portNumber(text: string): number {
  const port = wholeNumber(text)
  if (port > 65_535) throw new InvalidArgumentError('expected a port from 0 to 65535')
  return port
}

/** Reads a whole number that is not negative. */
export function wholeNumber(text: string): number {
  if (/^-\d+$/.test(text)) throw new InvalidArgumentError('expected a whole number, 0 or more')
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number')
  return Number(text)
}

export function positiveNumber(text: string): number {
  if (/^(?:-\d+|0+)$/.test(text)) throw new InvalidArgumentError('expected a whole number, 1 or more')
  return wholeNumber(text)
}
