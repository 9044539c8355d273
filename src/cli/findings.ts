import type { Command } from 'commander'
import { openMirror } from '../mirror/sqlite-mirror.ts'
import type { FindingView } from '../model/finding.ts'
import { printableJson } from '../model/printable-json.ts'
import { loadConfiguration, oneOf } from './configuration.ts'
import { csvLine } from './csv.ts'
import { findingsTable, unjudgedLines } from './findings-table.ts'
import { type ExitCode, exitCodes, type Io } from './io.ts'
import { jsonArray } from './json-array.ts'
import { createViews } from './views.ts'
import { writeAll } from './write-stream.ts'

const formats = ['table', 'json', 'ndjson', 'csv'] as const
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
}

export function addFindings(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('findings')
    .description('what fails: open findings that are not waived')
    .option('--format <format>', formats.join(', '), 'table')
    .option('--all', 'waived and resolved ones too')
    .addHelpText(
      'after',
      `
Works beside a running engine.

Examples:
  tenantwatch findings
  tenantwatch findings --format json | jq '.[] | select(.severity == "critical")'
  tenantwatch findings --all --format csv > findings.csv`,
    )
    .action(async (options: FindingsOptions, command: Command) => done(await findings(io, options, command)))
}

async function findings(io: Io, options: FindingsOptions, command: Command): Promise<ExitCode> {
  const format = oneOf('format', formats, options.format)
  const { settings } = loadConfiguration(io, command)
  await using mirror = openMirror(settings.storePath, 'beside')
  const views = createViews(mirror, settings, io.clock)
  const states = options.all === true ? (['open', 'waived', 'resolved'] as const) : (['open'] as const)
  await writeAll(io, render(format, views.findings({ states })))
  // An empty list must not look clean; beside data for programs, people are told on standard error.
  const output = format === 'table' ? io.stdout : io.stderr
  for (const line of unjudgedLines(await views.posture())) output.write(`${line}\n`)
  return exitCodes.ok
}

async function* render(format: (typeof formats)[number], found: AsyncIterable<FindingView>): AsyncIterable<string> {
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
