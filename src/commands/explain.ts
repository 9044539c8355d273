import type { Command } from 'commander'
import { checksOf } from '../checks/index.ts'
import { UsageError } from '../model/errors.ts'
import { driftIdIn, type FindingView, shortFingerprint } from '../model/finding.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { escapeInJson } from '../model/text/printable-json.ts'
import { withEntityNames } from '../report/entity-names.ts'
import { explanationOf, explanationText } from '../report/explanation.ts'
import { terminalOf, wrapLine } from '../report/terminal.ts'
import type { Mirror } from '../store/port.ts'
import { loadConfiguration, openVerifiedMirror } from './support/configuration.ts'
import { endedWaivers } from './support/ended-waivers.ts'
import { findFinding } from './support/find-finding.ts'
import { printNext } from './support/next-command.ts'
import { oneOf } from './support/options.ts'

const formats = ['text', 'json'] as const

interface ExplainOptions {
  readonly format: string
  readonly details?: boolean
}

export function addExplain(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('explain')
    .argument('<fingerprint>', 'fingerprint of a finding, its prefix, or the id of a drifted state')
    .description('explain a finding: rule, evidence, history')
    .option('--format <format>', formats.join(', '), 'text')
    .option('--details', 'show names and e-mails of users and file names, while the mirror has them')
    .addHelpText(
      'after',
      `
Works beside a running engine. Without --details, values that may name a person or a file are shown as [hidden], as are
those of fields that the specification does not name. Some ids are names themselves: see "findings --help". "Last seen" is
as stored, and may be up to five minutes older than in the JSON API of a running engine.

Examples:
  tenantwatch explain e49418ad0f73
  tenantwatch explain e49418ad0f73 --details
  tenantwatch explain e49418ad0f73 --format json`,
    )
    .action(async (fingerprint: string, options: ExplainOptions, command: Command) =>
      done(await explain(io, fingerprint, options, command)),
    )
}

async function explain(io: Io, given: string, options: ExplainOptions, command: Command): Promise<ExitCode> {
  const format = oneOf('format', formats, options.format)
  const { settings } = loadConfiguration(io, command)
  await using mirror = await openVerifiedMirror(settings, io)
  const checks = checksOf(settings)
  if (checks.some(({ id }) => id === given))
    throw new UsageError('explain takes a fingerprint; "tenantwatch report" shows every check with its state')
  const found = await findFinding(mirror, settings, given, io.clock.now())
  const finding = options.details === true ? await withNames(mirror, found) : found
  const check = checks.find(({ id }) => id === finding.check)
  const explanation = await explanationOf({
    mirror,
    settings,
    finding,
    check,
    details: options.details === true,
    now: io.clock.now(),
  })
  if (format === 'json') print(io, escapeInJson(JSON.stringify(explanation, null, 2)))
  else {
    const ended = await endedWaivers(mirror, settings, finding, io.clock.now())
    const notes = ended.length === 0 ? [] : ['', ...ended.map((sentence) => `${sentence}.`)]
    printExplanation(io, command, [...explanationText(explanation), ...notes], finding)
  }
  return exitCodes.ok
}

/** Width of the labels, such as `What to do`. */
const nameWidth = 13

/** On a terminal also prints the next command. */
function printExplanation(io: Io, command: Command, lines: readonly string[], finding: FindingView): void {
  const { fingerprint, state } = finding
  const terminal = terminalOf(io)
  for (const line of lines) print(io, wrapLine(printable(line), terminal, indentAfter(line)))
  if (terminal === null || state !== 'open') return
  const driftId = driftIdIn(finding)
  if (driftId !== null) printNext(io, command, 'To accept its present state', `accept ${driftId} --reason TEXT`)
  const terms = '--reason TEXT --owner WHO --expires YYYY-MM-DD'
  printNext(io, command, 'To waive it until a date', `waive ${shortFingerprint(fingerprint)} ${terms}`)
}

/** Indent of wrapped lines, so that they align below the text of the first one. */
function indentAfter(line: string): number {
  if (/^(?:[A-Z].{11} | {13})\S/.test(line)) return nameWidth
  if (line.startsWith('    ')) return 6
  return line.startsWith(' ') ? 4 : 2
}

async function withNames(mirror: Mirror, finding: FindingView): Promise<FindingView> {
  const names = { source: mirror, tenants: await mirror.tenants() }
  for await (const named of withEntityNames([finding], names)) return named
  return finding
}
