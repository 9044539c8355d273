import { Command, CommanderError } from 'commander'
import { FatalError, reasonOf, SyncError, UsageError, withHint } from '../model/errors.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import { printable } from '../model/text/printable.ts'
import { terminalOf } from '../report/terminal.ts'
import type { AddCommand } from './command.ts'
import { note, printableLines } from './support/io.ts'
import { fatalLine } from './support/logger.ts'

/** Only the command that is named is loaded, as loading all takes half as long again. In the order of the help. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  run: async () => (await import('./run.ts')).addRun,
  sync: async () => (await import('./sync.ts')).addSync,
  findings: async () => (await import('./findings.ts')).addFindings,
  explain: async () => (await import('./explain.ts')).addExplain,
  history: async () => (await import('./history.ts')).addHistory,
  report: async () => (await import('./report.ts')).addReport,
  verify: async () => (await import('./verify.ts')).addVerify,
  expiring: async () => (await import('./expiring.ts')).addExpiring,
  export: async () => (await import('./export.ts')).addExport,
  accept: async () => (await import('./accept.ts')).addAccept,
  waive: async () => (await import('./waive.ts')).addWaive,
  purge: async () => (await import('./purge.ts')).addPurge,
  checks: async () => (await import('./checks.ts')).addChecks,
  doctor: async () => (await import('./doctor.ts')).addDoctor,
  mcp: async () => (await import('./mcp.ts')).addMcp,
  notify: async () => (await import('./notify.ts')).addNotify,
  metrics: async () => (await import('./metrics.ts')).addMetrics,
  rules: async () => (await import('./rules.ts')).addRules,
  dashboards: async () => (await import('./dashboards.ts')).addDashboards,
  backup: async () => (await import('./backup.ts')).addBackup,
  'migrate-store': async () => (await import('./migrate-store.ts')).addMigrateStore,
  config: async () => (await import('./config.ts')).addConfig,
  simulate: async () => (await import('./simulate.ts')).addSimulate,
  demo: async () => (await import('./demo.ts')).addDemo,
}

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
  const program = createProgram(io)
  const all = Object.entries(commands)
  const wanted = args[0] === '--help' || args[0] === '-h' ? undefined : commandOf(args)
  const named = all.filter(([name]) => name === wanted)
  try {
    for (const [, load] of named.length > 0 ? named : all)
      (await load())(program, io, (ended) => {
        code = ended
      })
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

function createProgram(io: Io): Command {
  const width = terminalOf(io)?.columns ?? 80
  return new Command('tenantwatch')
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
  if (error instanceof SyncError) return printable(withHint(error))
  return `unexpected error: ${printable(error instanceof Error ? (error.stack ?? error.message) : String(error))}`
}
