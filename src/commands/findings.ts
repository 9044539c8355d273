import type { Command } from 'commander'
import { checksOf } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import { createViews } from '../daemon/views.ts'
import type { Check } from '../evaluate/check.ts'
import type { FindingView } from '../model/finding.ts'
import type { Breadth, TenantPosture, WaiverState } from '../model/posture.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import { isAtLeast, severities } from '../model/severity.ts'
import { printable } from '../model/text/printable.ts'
import { printableJson } from '../model/text/printable-json.ts'
import { csvLine } from '../report/csv.ts'
import { findingsTable, unevaluatedLines } from '../report/findings-table.ts'
import { jsonArray } from '../report/json-array.ts'
import { complianceFinding, type OcsfSource, ocsfVersion } from '../report/ocsf/compliance-finding.ts'
import type { FindingQuery } from '../web/web-options.ts'
import { loadConfiguration, oneOf } from './support/configuration.ts'
import { exitCodeOf } from './support/fail-on.ts'
import { openSoundMirror } from './support/sound-mirror.ts'
import { writeAll } from './support/write-stream.ts'

/** Waivers that need a look: they cover nothing any more, or more than was looked at when they were agreed. */
function waiverNotes(postures: readonly TenantPosture[]): readonly string[] {
  return postures.flatMap(({ tenant, waivers }) =>
    waivers.flatMap(({ id, owner, state, covered, lapsed, breadth }) => {
      const oddities = [
        ...(state === 'active' ? [] : [stateWords[state]]),
        ...(lapsed > 0 ? [`${lapsed} findings are not what it accepted any more`] : []),
        ...breadth.map((way) => breadthWords[way]),
      ]
      const covers = covered > 0 ? ` (it covers ${covered})` : ''
      return oddities.length === 0
        ? []
        : [printable(`${tenant}: waiver ${id} of ${owner}${covers}: ${oddities.join('; ')}`)]
    }),
  )
}

const stateWords = {
  expired: 'it has expired',
  lapsed: 'it has lapsed',
  orphaned: 'there is nothing for it to cover',
} as const satisfies Record<Exclude<WaiverState, 'active'>, string>

const breadthWords = {
  entities: 'it covers many entities',
  later: 'it covers findings that were opened after it was agreed',
  moreSevere: 'it covers findings that are more severe than when they were accepted',
} as const satisfies Record<Breadth, string>

const formats = ['table', 'json', 'ndjson', 'csv', 'ocsf'] as const
const fields = [
  'fingerprint',
  'tenant',
  'check',
  'entity',
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
    .description('what fails: open findings that are not waived')
    .option('--format <format>', formats.join(', '), 'table')
    .option('--all', 'waived and resolved ones too')
    .option('--tenant <name>', 'of this tenant only')
    .option('--check <id>', 'of this check only')
    .option('--severity <severity>', `at least this severe: ${severities.join(', ')}`)
    .option('--fail-on <severity>', 'exit 1 with open findings of at least this severity')
    .addHelpText(
      'after',
      `
Works beside a running engine. Checks that are unknown are named on standard error.
Exit with --fail-on: 0 ok, 1 findings at or above it, 3 something is held or a check is unknown; 3 beats 1.

Examples:
  tenantwatch findings
  tenantwatch findings --fail-on high > findings.txt
  tenantwatch findings --severity high --check user-mfa-enrolled
  tenantwatch findings --format json | jq '.[].entity.id'
  tenantwatch findings --all --format csv > findings.csv
  tenantwatch findings --all --format ocsf > findings.ocsf.ndjson

ocsf is one event a line, of class Compliance Finding (2003) of schema version ${ocsfVersion}.`,
    )
    .action(async (options: FindingsOptions, command: Command) => done(await findings(io, options, command)))
}

async function findings(io: Io, options: FindingsOptions, command: Command): Promise<ExitCode> {
  const format = oneOf('format', formats, options.format)
  const { settings } = loadConfiguration(io, command)
  const checks = checksOf(settings)
  const filter = filterOf(options, settings, checks)
  const failOn = options.failOn === undefined ? undefined : oneOf('severity', severities, options.failOn)
  await using mirror = await openSoundMirror(settings, io)
  const views = createViews(mirror, settings, io.clock)
  const source = { version, check: (id: string) => checks.find((check) => check.id === id) }
  await writeAll(io, render(format, views.findings(filter), source))
  const postures = (await views.posture()).filter(
    (posture) => filter.tenant === undefined || posture.tenant === filter.tenant,
  )
  const waivers = options.all === true ? waiverNotes(postures) : []
  // An empty list must not look clean.
  const off = postures.flatMap((posture) => offLines(posture, filter.check))
  for (const line of [...waivers, ...off, ...unevaluatedLines(postures)]) io.stderr.write(`${line}\n`)
  return failOn === undefined ? exitCodes.ok : exitCodeOf([], postures.map(ofCheck(filter.check)), failOn)
}

/** Says of the check that was asked for that nobody evaluates it. */
function offLines({ tenant, checks }: TenantPosture, wanted: string | undefined): readonly string[] {
  const off = checks.filter(({ check, enabled }) => check === wanted && !enabled)
  return off.map(({ check }) => `${tenant}: ${check} is switched off in the configuration and not evaluated`)
}

/** Narrows what the exit code hangs on to the check that was asked for. */
function ofCheck(wanted: string | undefined): (posture: TenantPosture) => TenantPosture {
  return (posture) => ({
    ...posture,
    checks: posture.checks.filter(({ check }) => wanted === undefined || check === wanted),
  })
}

/** @throws UsageError on a name that does not exist: a misspelt filter would look like "nothing found". */
function filterOf(options: FindingsOptions, settings: Settings, checks: readonly Pick<Check, 'id'>[]): FindingQuery {
  const { all, tenant, check, severity } = options
  const names = settings.tenants.map(({ name }) => name)
  const least = severity === undefined ? undefined : oneOf('severity', severities, severity)
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
    ...(least === undefined ? {} : { severities: severities.filter((grade) => isAtLeast(grade, least)) }),
  }
}

async function* render(
  format: (typeof formats)[number],
  found: AsyncIterable<FindingView>,
  source: OcsfSource,
): AsyncIterable<string> {
  switch (format) {
    case 'json':
      yield* jsonArray(found)
      return
    case 'ndjson':
      for await (const finding of found) yield `${printableJson(finding)}\n`
      return
    case 'csv':
      yield csvLine(['entityType', 'entityId', ...fields.filter((field) => field !== 'entity')])
      for await (const finding of found) yield csvLine(cells(finding))
      return
    case 'ocsf':
      for await (const finding of found) yield `${printableJson(complianceFinding(finding, source))}\n`
      return
    case 'table':
      yield `${findingsTable(await Array.fromAsync(found))}\n`
      return
    default:
      throw new TypeError(`Unknown format ${format satisfies never}`)
  }
}

function cells(finding: FindingView): readonly unknown[] {
  const rest = fields.filter((field) => field !== 'entity').map((field) => finding[field])
  return [finding.entity.type, finding.entity.id, ...rest]
}
