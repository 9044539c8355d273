import type { Command } from 'commander'
import { checksOf } from '../checks/index.ts'
import { UsageError } from '../model/errors.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { escapeInJson } from '../model/text/printable-json.ts'
import { explanationOf, explanationText } from '../report/explanation.ts'
import { loadConfiguration } from './support/configuration.ts'
import { findFinding } from './support/find-finding.ts'
import { oneOf } from './support/options.ts'
import { openVerifiedMirror } from './support/verified-mirror.ts'

const formats = ['text', 'json'] as const

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
  const { settings } = loadConfiguration(io, command)
  await using mirror = await openVerifiedMirror(settings, io)
  const checks = checksOf(settings)
  if (checks.some(({ id }) => id === given))
    throw new UsageError('explain takes a fingerprint; "tenantwatch report" shows every check with its state')
  const finding = await findFinding(mirror, settings, given, io.clock.now())
  const check = checks.find(({ id }) => id === finding.check)
  const explanation = await explanationOf({ mirror, settings, finding, check })
  if (format === 'json') print(io, escapeInJson(JSON.stringify(explanation, null, 2)))
  else for (const line of explanationText(explanation)) print(io, printable(line))
  return exitCodes.ok
}
