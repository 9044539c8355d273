import { Command, CommanderError } from 'commander'
import { FatalError, reasonOf, SyncError, UsageError } from '../model/errors.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import { printable } from '../model/text/printable.ts'
import { terminalOf } from '../report/terminal.ts'
import { addAccept } from './accept.ts'
import { addBackup } from './backup.ts'
import { addChecks } from './checks.ts'
import { addConfig } from './config.ts'
import { addDashboards } from './dashboards.ts'
import { addDemo } from './demo.ts'
import { addDoctor } from './doctor.ts'
import { addExpiring } from './expiring.ts'
import { addExplain } from './explain.ts'
import { addExport } from './export.ts'
import { addFindings } from './findings.ts'
import { addHistory } from './history.ts'
import { addMcp } from './mcp.ts'
import { addMetrics } from './metrics.ts'
import { addMigrateStore } from './migrate-store.ts'
import { addNotify } from './notify.ts'
import { addPurge } from './purge.ts'
import { addReport } from './report.ts'
import { addRules } from './rules.ts'
import { addRun } from './run.ts'
import { addSimulate } from './simulate.ts'
import { note, printableLines } from './support/io.ts'
import { fatalLine } from './support/logger.ts'
import { addSync } from './sync.ts'
import { addVerify } from './verify.ts'
import { addWaive } from './waive.ts'

const commands = [
  addRun,
  addSync,
  addFindings,
  addExplain,
  addHistory,
  addReport,
  addVerify,
  addExpiring,
  addExport,
  addAccept,
  addWaive,
  addPurge,
  addChecks,
  addDoctor,
  addMcp,
  addNotify,
  addMetrics,
  addRules,
  addDashboards,
  addBackup,
  addMigrateStore,
  addConfig,
  addSimulate,
  addDemo,
] as const

/** Commands that run until they are stopped. */
const services: ReadonlySet<string> = new Set(['run', 'simulate', 'demo', 'mcp'])

/** True when the command of a command line is a service; an option value may be the same word. */
export function isService(args: readonly string[]): boolean {
  return services.has(commandOf(args) ?? '')
}

/** True if the command reloads on SIGHUP. Others stop, because their terminal was closed. */
export function reloads(args: readonly string[]): boolean {
  return commandOf(args) === 'run'
}

/** True if standard error is a log of JSON lines; a fatal error is then logged as one. */
export function logsJson(args: readonly string[], stderr: Pick<Io['stderr'], 'isTTY'>): boolean {
  return commandOf(args) === 'run' && stderr.isTTY !== true
}

function commandOf(args: readonly string[]): string | undefined {
  return args.find((word, at) => !word.startsWith('-') && args[at - 1] !== '--config')
}

/** Expected errors are printed as one message on standard error, without a stack. */
export async function runProgram(args: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok
  const program = createProgram(io, (ended) => {
    code = ended
  })
  try {
    await program.parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.ok
      // Help was printed already.
      if (error.code !== 'commander.help') note(io, `tenantwatch: ${withoutSecrets(error.message, args)}`)
      return exitCodes.usage
    }
    const isStopped = reasonOf(error) === 'aborted' && io.stop.aborted
    const usage = error instanceof UsageError
    const message = isStopped ? (io.stop.reason as DOMException).message : messageOf(error)
    if (!usage && logsJson(args, io.stderr)) io.stderr.write(fatalLine(message))
    else note(io, `tenantwatch: ${message}`)
    return usage ? exitCodes.usage : exitCodes.failed
  }
}

function createProgram(io: Io, done: (code: ExitCode) => void): Command {
  const width = terminalOf(io)?.columns ?? 80
  const program = new Command('tenantwatch')
    .description('Mirrors the public API of SaaS tenants, evaluates compliance checks and exports findings as metrics.')
    .version(version)
    .option('--config <file>', 'configuration file; default TENANTWATCH_CONFIG, then config/tenantwatch.yaml')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      // runProgram writes the error: commander repeats unknown words, which may be secrets.
      outputError: () => {},
    })
    .addHelpText('after', '\nStart with: tenantwatch demo')
  for (const add of commands) add(program, io, done)
  return program
}

/** Words of the command line that a message may repeat: options and short words. Others may be secrets, and messages end in logs. */
const plainWord = /^(?:--[a-z]+(?:-[a-z]+)*|[\w.:+-]{1,12})$/

function withoutSecrets(message: string, args: readonly string[]): string {
  const words = args.flatMap((arg) => [arg, ...arg.split('=')]).filter((word) => word !== '' && !plainWord.test(word))
  const hidden = words
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, word) => text.replaceAll(word, '…'), message.replace(/^error: /, ''))
  return `${hidden.slice(0, 1).toUpperCase()}${printableLines(hidden.slice(1))}`
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof FatalError) return printableLines(error.message)
  if (error instanceof SyncError)
    return printable(error.hint === undefined ? error.message : `${error.message}. ${error.hint}`)
  return `unexpected error: ${printable(error instanceof Error ? (error.stack ?? error.message) : String(error))}`
}
