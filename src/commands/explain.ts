import type { Command } from 'commander'
import { checksOf } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import { driftIdPattern } from '../evaluate/findings/drift-id.ts'
import { readFindings } from '../evaluate/findings/read-findings.ts'
import type { Mirror } from '../mirror/port.ts'
import { UsageError } from '../model/errors.ts'
import type { FindingView } from '../model/finding.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { escapeInJson } from '../model/text/printable-json.ts'
import { explanationOf, explanationText } from '../report/explanation.ts'
import { loadConfiguration } from './support/configuration.ts'
import { oneOf } from './support/options.ts'
import { openVerifiedMirror } from './support/verified-mirror.ts'

const formats = ['text', 'json'] as const
const minLength = 6

export function addExplain(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('explain')
    .argument('<fingerprint>', 'fingerprint of a finding, its prefix, or the id of a drifted state')
    .description('explain a finding: rule, evidence, history')
    .option('--format <format>', formats.join(', '), 'text')
    .addHelpText(
      'after',
      `
Works beside a running engine.

Examples:
  tenantwatch explain e49418ad0f73
  tenantwatch explain e49418ad0f73 --format json`,
    )
    .action(async (fingerprint: string, options: { readonly format: string }, command: Command) =>
      done(await explain(io, fingerprint, options.format, command)),
    )
}

async function explain(io: Io, given: string, wanted: string, command: Command): Promise<ExitCode> {
  const format = oneOf('format', formats, wanted)
  if (given.length < minLength) throw new UsageError(`Give at least ${minLength} characters of the fingerprint`)
  const { settings } = loadConfiguration(io, command)
  await using mirror = await openVerifiedMirror(settings, io)
  const checks = checksOf(settings)
  if (checks.some(({ id }) => id === given))
    throw new UsageError('explain takes a fingerprint; "tenantwatch report" says of each check how it is known')
  const [, prefix = given] = driftIdPattern.exec(given.toLowerCase()) ?? []
  const finding = await findOne(mirror, settings, prefix.toLowerCase(), io.clock.now())
  const check = checks.find(({ id }) => id === finding.check)
  const explanation = await explanationOf({ mirror, settings, finding, check })
  if (format === 'json') print(io, escapeInJson(JSON.stringify(explanation, null, 2)))
  else for (const line of explanationText(explanation)) print(io, printable(line))
  return exitCodes.ok
}

/** Error messages do not repeat the argument, which may be a secret. */
async function findOne(mirror: Mirror, settings: Settings, prefix: string, now: number): Promise<FindingView> {
  const fingerprints = await mirror.fingerprintsFrom(prefix, 2)
  if (fingerprints.length > 1)
    throw new UsageError('Several findings match this prefix; give more characters of the fingerprint')
  const states = ['open', 'waived', 'resolved'] as const
  for await (const finding of readFindings({ store: mirror, waivers: settings.waivers, now, states, fingerprints }))
    return finding
  throw new UsageError('No finding has this fingerprint; see "tenantwatch findings --all"')
}
