import { userInfo } from 'node:os'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { nearest } from '../../config/mistakes.ts'
import type { Settings } from '../../config/settings.ts'
import { UsageError } from '../../model/errors.ts'
import { resourceNames } from '../../model/resource-names.ts'
import { isAtLeast, type Severity, severities } from '../../model/severity.ts'
import { dayMs, parseDuration, parseIsoDate } from '../../model/time.ts'

export const tenantOption = () => new Option('--tenant <name>', 'only this tenant')
export const detailsOption = () => new Option('--details', 'include names of persons, e-mails and file names')
export const resourceOption = () => new Option('--resource <name>', 'only this resource').choices(resourceNames)
export const failOnOption = () =>
  new Option('--fail-on <severity>', 'exit 1 with open findings of at least this severity').choices(severities)

/** @param formats the default first. */
export function formatOption(formats: readonly string[]): Option {
  return new Option('--format <format>', 'form of the output').choices(formats).default(formats[0])
}

export const outputOption = () =>
  new Option('--output <file>', 'write to this file, readable for its owner only; its ending may choose the format')

/** `--format`, else the format that the ending of `--output` names, else the default. */
export function formatOf<Format extends string>(
  command: Command,
  { format, output = '' }: { readonly format: Format; readonly output?: string },
  formats: readonly Format[],
): Format {
  const isGiven = command.getOptionValueSource('format') !== 'default'
  return isGiven ? format : (formats.find((one) => output.endsWith(`.${one}`)) ?? format)
}

export interface SeverityOptions {
  readonly severity?: readonly Severity[]
  readonly minSeverity?: Severity
}

/** `--severity` means exactly these, `--min-severity` at least. */
export const severityOptions = () => [
  new Option('--severity <list>', 'only exactly these severities, such as critical,high').argParser((text) =>
    text.split(/[\s,]+/).map((word) => {
      const found = severities.find((one) => one === word)
      if (found === undefined) throw new InvalidArgumentError(`Expected a list of ${severities.join(', ')}.`)
      return found
    }),
  ),
  new Option('--min-severity <severity>', 'only this severity and higher ones')
    .choices(severities)
    .conflicts('severity'),
]

/** Undefined = all. */
export function chosenSeverities({ severity, minSeverity }: SeverityOptions): readonly Severity[] | undefined {
  return minSeverity === undefined ? severity : severities.filter((one) => isAtLeast(one, minSeverity))
}

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
  if (!isDay || day === 'start') return date.ms
  const end = date.ms + dayMs - 1
  // Today ends now.
  return date.ms <= now ? Math.min(end, now) : end
}

/** The beginning of a period, which is not in the future. Undefined stays undefined. @throws UsageError */
export function readSince(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const since = readMoment('--since', text, { now, day: 'start' })
  if (since > now) throw new UsageError('The time of --since is in the future')
  return since
}

/** Least length of a reason, which auditors read. */
export const leastReason = 10

/** @throws UsageError without a sufficient reason. */
export function readReason(given: string | undefined): string {
  const reason = given?.trim() ?? ''
  if (reason.length >= leastReason) return reason
  throw new UsageError(
    `Give a reason with --reason TEXT, in ${leastReason} characters or more: it is kept for auditors`,
  )
}

/** Who decides: the given name, else the user of this system. @throws UsageError for an empty one. */
export function readBy(given: string | undefined): string {
  if (given?.trim() === '') throw new UsageError('--by is empty; expected the name of the person who decides')
  if (given !== undefined) return given.trim()
  try {
    return userInfo().username
  } catch {
    // A container may run under a number that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** A name that depends on the configuration or the mirror. Returns undefined unchanged. @throws UsageError */
export function oneOf<const T extends string>(what: string, words: readonly T[], given: string): T
export function oneOf<const T extends string>(
  what: string,
  words: readonly T[],
  given: string | undefined,
): T | undefined
export function oneOf<const T extends string>(what: string, words: readonly T[], given: string | undefined) {
  const found = words.find((word) => word === given)
  if (found !== undefined || given === undefined) return found
  const meant = nearest(given, words)
  // A word close to a known one is not a secret.
  if (meant !== undefined) throw new UsageError(`Unknown ${what} "${given}"; did you mean ${meant}?`)
  const wanted = words.length === 0 ? 'none is configured' : `expected one of ${words.join(', ')}`
  throw new UsageError(`Unknown ${what}${repeated(given)}: ${wanted}`)
}

/** The name of a configured tenant. Undefined stays undefined. @throws UsageError */
export function configuredTenant(
  { tenants }: Pick<Settings, 'tenants'>,
  given: string | undefined,
): string | undefined {
  const names = tenants.map(({ name }) => name)
  return oneOf('tenant', names, given)
}

/** An option that may repeat. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be repeated`)
    .argParser((value, before: readonly string[]) => [...before, value])
    .default([], 'none')
}

/** Reads a port; 0 means any free one. */
export function portNumber(text: string): number {
  const port = wholeNumber(text)
  if (port > 65_535) throw new InvalidArgumentError('Expected a port from 0 to 65535.')
  return port
}

/** Reads a whole number that is not negative. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 0 or more.')
  return Number(text)
}

export function positiveNumber(text: string): number {
  if (!/^0*[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 1 or more.')
  return Number(text)
}
