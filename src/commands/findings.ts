import type { Command } from 'commander'
import { checksOf } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import { createViews } from '../daemon/views.ts'
import type { Check } from '../evaluate/check.ts'
import { total } from '../evaluate/findings/split-findings.ts'
import type { FindingView } from '../model/finding.ts'
import type { Breadth, TenantPosture, WaiverState } from '../model/posture.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import { isAtLeast, severities } from '../model/severity.ts'
import { plural } from '../model/text/numbers.ts'
import { printable } from '../model/text/printable.ts'
import { findingsTable, noOpenFindings, unevaluatedLines } from '../report/findings-table.ts'
import { type Serialization, serialize } from '../report/formats.ts'
import { complianceFinding, type OcsfSource, ocsfVersion } from '../report/ocsf.ts'
import type { FindingQuery } from '../web/web-options.ts'
import { loadConfiguration } from './support/configuration.ts'
import { writeAll } from './support/io.ts'
import { exitCodeOf, oneOf } from './support/options.ts'
import { openVerifiedMirror } from './support/verified-mirror.ts'

/** Waivers that need a review: expired, lapsed, orphaned or too broad ones. */
function waiverNotes(postures: readonly TenantPosture[]): readonly string[] {
  return postures.flatMap(({ tenant, waivers }) =>
    waivers.flatMap(({ id, owner, state, covered, lapsed, breadth }) => {
      const problems = [
        ...(state === 'active' ? [] : [stateWords[state]]),
        ...(lapsed > 0
          ? [`${plural(lapsed, 'finding')} changed since ${lapsed === 1 ? 'it was' : 'they were'} accepted`]
          : []),
        ...breadth.map((way) => breadthWords[way]),
      ]
      const covers = covered > 0 ? ` (it covers ${covered})` : ''
      return problems.length === 0
        ? []
        : [printable(`${tenant}: waiver ${id} of ${owner}${covers}: ${problems.join('; ')}`)]
    }),
  )
}

const stateWords = {
  expired: 'it has expired',
  lapsed: 'it has lapsed',
  orphaned: 'no check or entity matches it',
} as const satisfies Record<Exclude<WaiverState, 'active'>, string>

const breadthWords = {
  entities: 'it covers many entities',
  later: 'it covers findings that were opened after it was agreed',
  moreSevere: 'it covers findings that are more severe than when they were accepted',
} as const satisfies Record<Breadth, string>

const formats = ['table', 'json', 'ndjson', 'csv', 'ocsf'] as const
/** The columns of CSV after the entity. */
const fields = [
  'fingerprint',
  'tenant',
  'check',
  'severity',
  'state',
  'message',
  'evidence',
  'firstSeen',
  'lastSeen',
  'resolvedAt',
  'resolution',
  'reopened',
  'waiver',
] as const satisfies readonly (keyof FindingView)[]

interface FindingsOptions {
  readonly format: string
  readonly all?: boolean
  readonly tenant?: string
  readonly check?: string
  readonly severity?: string
  readonly failOn?: string
}

export function addFindings(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('findings')
    .description('list open findings that are not waived')
    .option('--format <format>', formats.join(', '), 'table')
    .option('--all', 'include waived and resolved findings')
    .option('--tenant <name>', 'only findings of this tenant')
    .option('--check <id>', 'only findings of this check')
    .option('--severity <severity>', `only findings of at least this severity: ${severities.join(', ')}`)
    .option('--fail-on <severity>', 'exit 1 with open findings of at least this severity')
    .addHelpText(
      'after',
      `
Works beside a running engine. Unknown checks are listed on standard error.
Exit with --fail-on: 0 ok, 1 findings at or above it, 3 there is a hold or a check is unknown; 3 takes precedence.

Examples:
  tenantwatch findings
  tenantwatch findings --fail-on high > findings.txt
  tenantwatch findings --severity high --check user-mfa-enrolled
  tenantwatch findings --format json | jq '.[].entity.id'
  tenantwatch findings --all --format csv > findings.csv
  tenantwatch findings --all --format ocsf > findings.ocsf.ndjson

ocsf writes one event per line, of class Compliance Finding (2003) of schema version ${ocsfVersion}.`,
    )
    .action(async (options: FindingsOptions, command: Command) => done(await findings(io, options, command)))
}

async function findings(io: Io, options: FindingsOptions, command: Command): Promise<ExitCode> {
  const format = oneOf('format', formats, options.format)
  const { settings } = loadConfiguration(io, command)
  const checks = checksOf(settings)
  const filter = filterOf(options, settings, checks)
  const failOn = oneOf('severity', severities, options.failOn)
  await using mirror = await openVerifiedMirror(settings, io)
  const views = createViews(mirror, settings, io.clock)
  const source = { version, check: (id: string) => checks.find((check) => check.id === id) }
  const postures = await views.posture(filter.tenant)
  const wanted = postures.map(ofCheck(filter.check))
  const unknown = wanted.flatMap(({ checks: shown }) => shown.filter(({ status }) => status === 'unknown')).length
  const isFiltered = [options.tenant, options.check, options.severity].some((value) => value !== undefined)
  const none = isFiltered ? `No ${options.all === true ? '' : 'open '}findings match the filter.` : noOpenFindings
  await writeAll(io, render(format, views.findings(filter), { source, unknown, none }))
  const waivers = options.all === true ? waiverNotes(postures) : wanted.flatMap(waivedLine)
  // An empty list must not look like a pass.
  const off = postures.flatMap((posture) => offLines(posture, filter.check))
  for (const line of [...waivers, ...off, ...unevaluatedLines(postures)]) io.stderr.write(`${line}\n`)
  return failOn === undefined ? exitCodes.ok : exitCodeOf([], wanted, failOn)
}

/** An empty list would look like no finding at all. */
function waivedLine({ tenant, checks }: TenantPosture): readonly string[] {
  const waived = checks.reduce((sum, check) => sum + total(check.waived), 0)
  return waived === 0 ? [] : [`${tenant}: ${plural(waived, 'open finding')} waived; --all lists them`]
}

/** One line for each tenant that has the wanted check switched off. */
function offLines({ tenant, checks }: TenantPosture, wanted: string | undefined): readonly string[] {
  const off = checks.filter(({ check, enabled }) => check === wanted && !enabled)
  return off.map(({ check }) => `${tenant}: ${check} is switched off in the configuration and not evaluated`)
}

/** Limits the exit code to the wanted check. */
function ofCheck(wanted: string | undefined): (posture: TenantPosture) => TenantPosture {
  return (posture) => ({
    ...posture,
    checks: posture.checks.filter(({ check }) => wanted === undefined || check === wanted),
  })
}

/** @throws UsageError on a name that does not exist: a misspelled filter would look like "nothing found". */
function filterOf(options: FindingsOptions, settings: Settings, checks: readonly Pick<Check, 'id'>[]): FindingQuery {
  const { all, tenant, check, severity } = options
  const names = settings.tenants.map(({ name }) => name)
  const minimum = oneOf('severity', severities, severity)
  return {
    states: all === true ? ['open', 'waived', 'resolved'] : ['open'],
    ...(tenant === undefined ? {} : { tenant: oneOf('tenant', names, tenant) }),
    ...(check === undefined
      ? {}
      : {
          check: oneOf(
            'check',
            checks.map(({ id }) => id),
            check,
          ),
        }),
    ...(minimum === undefined ? {} : { severities: severities.filter((one) => isAtLeast(one, minimum)) }),
  }
}

function render(
  format: (typeof formats)[number],
  found: AsyncIterable<FindingView>,
  { source, unknown, none }: { readonly source: OcsfSource; readonly unknown: number; readonly none: string },
): AsyncIterable<string> {
  switch (format) {
    case 'ocsf':
      return serialize('ndjson', found, { ...csv, object: (finding) => complianceFinding(finding, source) })
    case 'table':
      return tableOf(found, unknown, none)
    default:
      return serialize(format, found, csv)
  }
}

/** @param none the sentence when there are no findings. */
async function* tableOf(found: AsyncIterable<FindingView>, unknown: number, none: string): AsyncIterable<string> {
  const all = await Array.fromAsync(found)
  if (all.length > 0) yield `${findingsTable(all)}\n`
  else if (unknown === 0) yield `${none}\n`
  else yield `No open findings are known, but ${plural(unknown, 'check')} cannot be evaluated.\n`
}

const csv: Serialization<FindingView> = {
  columns: ['entityType', 'entityId', ...fields],
  cells: (finding) => [finding.entity.type, finding.entity.id, ...fields.map((field) => finding[field])],
}
