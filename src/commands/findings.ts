import type { Command } from 'commander'
import { checksOf } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import { createViews } from '../daemon/views.ts'
import { type Check, inputsOf } from '../evaluate/check.ts'
import { UsageError } from '../model/errors.ts'
import { type FindingView, findingColumns, namedFindingColumns, shortFingerprint } from '../model/finding.ts'
import type { TenantPosture } from '../model/posture.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { severities } from '../model/severity.ts'
import { plural } from '../model/text/numbers.ts'
import { withoutNames } from '../model/text/redact-finding.ts'
import { withEntityNames } from '../report/entity-names.ts'
import { type Grouping, groupColumns, groupings, groupsOf, groupsTable } from '../report/finding-groups.ts'
import {
  heldLines,
  inapplicableLines,
  offLines,
  unevaluatedLines,
  waivedLine,
  waiverNotes,
} from '../report/findings-notes.ts'
import { bySeverity, findingsText, noOpenFindings, totals } from '../report/findings-table.ts'
import { serialize } from '../report/formats.ts'
import { complianceFinding, type OcsfSource, ocsfVersion } from '../report/ocsf.ts'
import { type Terminal, terminalOf, wrapLine } from '../report/terminal.ts'
import type { Mirror } from '../store/port.ts'
import type { FindingQuery } from '../web/web-options.ts'
import { loadConfiguration, openVerifiedMirror } from './support/configuration.ts'
import { noteDifference } from './support/configuration-difference.ts'
import { exitCodeOf } from './support/exit-code.ts'
import { note, writeAll } from './support/io.ts'
import { commandFor, nextLines } from './support/next-command.ts'
import { leastSeverity, oneOf, positiveNumber, readMoment, tenantOption, wantedSeverities } from './support/options.ts'

const groupFormats = ['table', 'json', 'ndjson', 'csv'] as const
const formats = [...groupFormats, 'ocsf'] as const

interface FindingsOptions {
  readonly format: string
  readonly all?: boolean
  readonly tenant?: string
  readonly check?: string
  readonly severity?: string
  readonly since?: string
  readonly group?: string
  readonly limit?: number
  readonly wide?: boolean
  readonly details?: boolean
  readonly failOn?: string
}

export function addFindings(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('findings')
    .description('list open findings that are not waived')
    .option('--format <format>', formats.join(', '), 'table')
    .option('--all', 'include waived and resolved findings')
    .option('--tenant <name>', 'only findings of this tenant')
    .option('--check <check>', 'only findings of this check')
    .option(
      '--severity <severity>',
      `only findings of at least this severity, or of those in a list such as critical,high: ${severities.join(', ')}`,
    )
    .option('--since <time>', 'only findings that were opened, changed, reopened or resolved at or after this time')
    .option('--group <by>', `counts instead of findings, one line for each ${groupings.join(' or ')}`)
    .option('--limit <n>', 'at most this many, the highest severity first', positiveNumber)
    .option('--wide', 'all columns on a terminal, too, however long the lines')
    .option('--details', 'add the name and e-mail of a user, and the file name of a document')
    .option('--fail-on <severity>', 'exit 1 with open findings of at least this severity')
    .addHelpText(
      'after',
      `
Works beside a running engine. Checks that are unknown, or not applicable where --check names one, are listed on
standard error. --severity medium shows findings of medium and above, --severity high,medium exactly those of high and
medium. The JSON API and the status page show exactly the severities that are named, also where it is only one.
A terminal shows one heading for each check; a file or a pipe gets one line for each finding.
Without --details users and documents are named by id, and values of the evidence that may name a person or a file are
shown as [hidden]. Some ids are names themselves: that of a finding about a file name (document-name-unique), and those
that own checks return. This command prints such ids; report and page may hide them.
Exit with --fail-on: 0 ok, 1 findings at or above it, 3 there is a hold or a check is unknown; 3 takes precedence. The last
line on standard error is the cause of 1 or 3. With --check only that check counts, and holds of what it reads.
lastSeen may be up to five minutes older than in the JSON API of a running engine, which stores it less often.

Examples:
  tenantwatch findings
  tenantwatch findings --fail-on high > findings.txt
  tenantwatch findings --severity high --check user-mfa-enrolled
  tenantwatch findings --severity critical,medium
  tenantwatch findings --all --since 7d
  tenantwatch findings --group check
  tenantwatch findings --format json | jq '.[].entity.id'
  tenantwatch findings --all --format csv > findings.csv
  tenantwatch findings --all --format ocsf > findings.ocsf.ndjson

--since is a time such as 2026-03-31 or 2026-03-31T18:00:00Z, or how long ago, such as 7d.
ocsf writes one event per line, of class Compliance Finding (2003) of schema version ${ocsfVersion}.`,
    )
    .action(async (options: FindingsOptions, command: Command) => done(await findings(io, options, command)))
}

async function findings(io: Io, options: FindingsOptions, command: Command): Promise<ExitCode> {
  const grouping = oneOf('grouping', groupings, options.group)
  if (grouping !== undefined && options.details === true)
    throw new UsageError('--details adds names to findings, and --group lists none; leave one of them out')
  const { settings } = loadConfiguration(io, command)
  const checks = checksOf(settings)
  const filter = filterOf(options, settings, checks, io.clock.now())
  const failOn = leastSeverity('--fail-on', options.failOn)
  const source = { version, check: (id: string) => checks.find((check) => check.id === id) }
  const render =
    grouping === undefined
      ? listing(io, options, command, source)
      : grouped(io, options, command, grouping, options.wide === true ? null : terminalOf(io))
  await using mirror = await openVerifiedMirror(settings, io)
  const views = createViews(mirror, settings, io.clock)
  const postures = await views.posture(filter.tenant)
  const wanted = postures.map(within(filter.check, checks))
  const listed = views.findings(filter)
  const found = options.details === true ? withNames(mirror, listed) : withHiddenNames(listed)
  await writeAll(io, render(found, emptyListing(options, wanted)), options.format === 'table')
  const waivers =
    options.all === true
      ? waiverNotes(wanted, filter.severities)
      : wanted.flatMap((one) => waivedLine(one, filter.severities))
  // An empty list must not look like a pass.
  const off = postures.flatMap((one) => [...offLines(one, filter.check), ...inapplicableLines(one, filter.check)])
  const next = (words: string) => commandFor(command, words)
  const unevaluated = unevaluatedLines(wanted, next)
  for (const line of [...waivers, ...off, ...heldLines(wanted, next), ...unevaluated]) note(io, line)
  const evaluated = await (await mirror.past(io.clock.now(), true)).configuration()
  if (evaluated !== null) await noteDifference(io, evaluated.digest, settings, afterChange)
  return failOn === undefined ? exitCodes.ok : exitCodeOf(io, { results: [], postures: wanted, failOn })
}

const afterChange =
  'waivers already apply here, other changes apply after the next sync, or after the daemon is reloaded'

async function* withNames(mirror: Mirror, found: AsyncIterable<FindingView>): AsyncIterable<FindingView> {
  yield* withEntityNames(found, {
    source: mirror,
    tenants: await mirror.tenants(),
  })
}

async function* withHiddenNames(found: AsyncIterable<FindingView>): AsyncIterable<FindingView> {
  for await (const finding of found) yield { ...finding, evidence: withoutNames(finding.evidence) }
}

/** The sentence when there are no findings. */
function emptyListing(options: FindingsOptions, wanted: readonly TenantPosture[]): string {
  const unknown = wanted.flatMap(({ checks }) => checks.filter(({ status }) => status === 'unknown')).length
  if (unknown > 0) return `No open findings are known, but ${plural(unknown, 'check')} cannot be evaluated.`
  const { all, tenant, check, severity, since } = options
  const isFiltered = [tenant, check, severity, since].some((value) => value !== undefined)
  return isFiltered ? `No ${all === true ? '' : 'open '}findings match the filter.` : noOpenFindings
}

/** Limits notes and exit code to the wanted check, and holds to those of resources that it reads. */
function within(wanted: string | undefined, known: readonly Check[]): (posture: TenantPosture) => TenantPosture {
  const check = known.find(({ id }) => id === wanted)
  if (check === undefined) return (posture) => posture
  const isRead = (resource: ResourceName | 'all') => resource === 'all' || inputsOf(check).includes(resource)
  return (posture) => ({
    ...posture,
    checks: posture.checks.filter((one) => one.check === check.id),
    holds: posture.holds.filter(({ resource }) => isRead(resource)),
  })
}

/** @throws UsageError on a name that does not exist: a misspelled filter would look like "nothing found". */
function filterOf(
  { all, tenant, check, severity, since }: FindingsOptions,
  settings: Settings,
  checks: readonly Pick<Check, 'id'>[],
  now: number,
): FindingQuery {
  const ids = checks.map(({ id }) => id)
  const wanted = wantedSeverities(severity)
  const from = since === undefined ? undefined : readMoment('--since', since, { now, day: 'start' })
  if (from !== undefined && from > now) throw new UsageError('The time of --since is in the future')
  const named = tenantOption(settings, tenant)
  return {
    states: all === true ? ['open', 'waived', 'resolved'] : ['open'],
    ...(named !== undefined && { tenant: named }),
    ...(check !== undefined && { check: oneOf('check', ids, check) }),
    ...(wanted !== undefined && { severities: wanted }),
    ...(from !== undefined && { since: from }),
  }
}

/** @param none the sentence when there are no findings. */
type Render = (found: AsyncIterable<FindingView>, none: string) => AsyncIterable<string>

function listing(
  io: Io,
  { format: word, limit, wide, details }: FindingsOptions,
  command: Command,
  source: OcsfSource,
): Render {
  const format = oneOf('format', formats, word)
  if (format === 'table')
    return (found, none) =>
      listingTable(io, found, { none, limit, command, terminal: wide === true ? null : terminalOf(io) })
  const named = details === true ? namedFindingColumns : findingColumns
  const columns =
    format === 'ocsf' ? { ...named, object: (finding: FindingView) => complianceFinding(finding, source) } : named
  return async function* (found) {
    if (limit === undefined) return yield* serialize(format === 'ocsf' ? 'ndjson' : format, found, columns)
    const all = bySeverity(await Array.fromAsync(found))
    yield* serialize(format === 'ocsf' ? 'ndjson' : format, all.slice(0, limit), columns)
    noteLeftOut(io, all.length - limit)
  }
}

/** A terminal shows the count below its table instead. */
function noteLeftOut(io: Io, count: number): void {
  if (count > 0) note(io, `--limit left out ${count} more`)
}

interface TableOptions {
  readonly none: string
  readonly limit: number | undefined
  readonly command: Command
  /** Null = one line for each finding, with all columns. */
  readonly terminal: Terminal | null
}

async function* listingTable(
  io: Io,
  found: AsyncIterable<FindingView>,
  { none, limit, command, terminal }: TableOptions,
): AsyncIterable<string> {
  const all = bySeverity(await Array.fromAsync(found))
  if (all.length === 0) yield `${none}\n`
  const shown = all.slice(0, limit)
  const text = findingsText(shown, terminal)
  if (shown.length > 0) yield `${text}\n`
  if (terminal === null) noteLeftOut(io, all.length - shown.length)
  if (all.length === 0 || terminal === null) return
  if (all.length > shown.length) yield `… and ${all.length - shown.length} more\n`
  const first = shortFingerprint(
    (shown.find(({ state }) => state === 'open') ?? shown[0])?.fingerprint ?? 'FINGERPRINT',
  )
  yield `\n${wrapLine(totals(all), terminal, 2)}\n`
  if (/\u2026$/m.test(text)) yield `${nextLines(command, terminal, 'To see whole sentences', 'findings --wide')}\n`
  yield `${nextLines(command, terminal, 'To see why', `explain ${first}`)}\n`
}

function grouped(
  io: Io,
  { format: word, limit }: FindingsOptions,
  command: Command,
  grouping: Grouping,
  terminal: Terminal | null,
): Render {
  const format = oneOf('format of --group', groupFormats, word)
  return async function* (found, none) {
    const all = await Array.fromAsync(found)
    const groups = groupsOf(all, grouping)
    const shown = groups.slice(0, limit)
    if (format !== 'table' || terminal === null) noteLeftOut(io, groups.length - shown.length)
    if (format !== 'table') yield* serialize(format, shown, groupColumns)
    else if (groups.length === 0) yield `${none}\n`
    else {
      yield `${groupsTable(shown, grouping, terminal)}\n`
      if (terminal === null) return
      if (groups.length > shown.length) yield `… and ${groups.length - shown.length} more\n`
      yield `\n${wrapLine(totals(all), terminal, 2)}\n`
      const [first] = shown
      if (grouping === 'check' && first !== undefined)
        yield `${nextLines(command, terminal, 'To list those of the first check', `findings --check ${first.check}`)}\n`
    }
  }
}
