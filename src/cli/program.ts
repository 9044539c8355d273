import { Command, CommanderError } from 'commander'
import { FatalError, reasonOf, SyncError, UsageError } from '../model/errors.ts'
import { printable } from '../model/printable.ts'
import { addAccept } from './accept.ts'
import { addBackup } from './backup.ts'
import { addChecks } from './checks.ts'
import { addConfig } from './config.ts'
import { addDemo } from './demo.ts'
import { addDoctor } from './doctor.ts'
import { addExplain } from './explain.ts'
import { addExport } from './export.ts'
import { addFindings } from './findings.ts'
import { type ExitCode, exitCodes, type Io } from './io.ts'
import { addMetrics } from './metrics.ts'
import { addRun } from './run.ts'
import { addSimulate } from './simulate.ts'
import { addSync } from './sync.ts'
import { version } from './version.ts'

const commands = [
  addRun,
  addSync,
  addFindings,
  addExplain,
  addExport,
  addAccept,
  addChecks,
  addDoctor,
  addMetrics,
  addBackup,
  addConfig,
  addSimulate,
  addDemo,
] as const

/** Commands that go on until they are stopped. */
export const services: ReadonlySet<string> = new Set(['run', 'simulate', 'demo'])

/**
 * Runs one command line (without the program's name) and says how it ended. Whatever goes wrong is one clear text on
 * standard error, never a stack.
 */
export async function runProgram(args: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok
  const program = createProgram(io, (ended) => {
    code = ended
  })
  try {
    await program.parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    if (reasonOf(error) === 'aborted' && io.stop.aborted) return exitCodes.failed
    const usage = error instanceof UsageError
    io.stderr.write(`tenantwatch: ${messageOf(error)}\n`)
    return usage ? exitCodes.usage : exitCodes.failed
  }
}

function createProgram(io: Io, done: (code: ExitCode) => void): Command {
  const program = new Command('tenantwatch')
    .description('Mirrors what a SaaS tenant says of itself, judges it, and shows what is wrong. Never a false green.')
    .version(version)
    .option('--config <file>', 'configuration file; else TENANTWATCH_CONFIG, else config/tenantwatch.yaml')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      // What stands behind an unknown option may be a secret, and this text ends in logs.
      outputError: (text, write) => write(text.replace(/(unknown option '[^'=]*)=.*'/, "$1'")),
    })
    .showHelpAfterError('(add --help for what there is)')
    .addHelpText('after', '\nStart with: tenantwatch demo')
  for (const add of commands) add(program, io, done)
  for (const command of program.commands) inherit(program, command)
  return program
}

/** Commands made before say their errors and their options in the same way as the program. */
function inherit(program: Command, command: Command): void {
  command.copyInheritedSettings(program)
  command.option('--config <file>', 'configuration file')
  for (const inner of command.commands) inherit(command, inner)
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof FatalError) {
    return error.message
      .split('\n')
      .map((line) => printable(line))
      .join('\n')
  }
  if (error instanceof SyncError)
    return printable(error.hint === undefined ? error.message : `${error.message}. ${error.hint}`)
  return `an unforeseen fault: ${printable(error instanceof Error ? (error.stack ?? error.message) : String(error))}`
}
