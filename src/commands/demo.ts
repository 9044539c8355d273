import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { loadSettings } from '../config/load-settings.ts'
import type { Settings } from '../config/settings.ts'
import { type Daemon, startDaemon } from '../daemon/daemon.ts'
import { toIso } from '../model/dates.ts'
import { dayMs } from '../model/durations.ts'
import { FatalError } from '../model/errors.ts'
import { type FindingView, shortFingerprint } from '../model/finding.ts'
import type { Log } from '../model/log.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { whyNotListening } from '../model/process/listen-error.ts'
import { shellWord } from '../model/text/command-line.ts'
import { unevaluatedLines } from '../report/findings-notes.ts'
import { bySeverity, findingsText } from '../report/findings-table.ts'
import { printWrapped, type Terminal, terminalOf, wrapLine } from '../report/terminal.ts'
import type { Simulator } from '../simulator/index.ts'
import { catalogue } from './support/configuration.ts'
import { tourLines } from './support/demo-tour.ts'
import { wrapCommand } from './support/help-text.ts'
import { untilStopped } from './support/io.ts'
import { createLog } from './support/logger.ts'
import { portNumber, wholeNumber } from './support/options.ts'

interface DemoOptions {
  readonly port: number
  readonly users: number
  readonly once?: boolean
}

export function addDemo(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('demo')
    .description('run the daemon against a simulated tenant with a temporary database')
    .option('--port <n>', 'port of page and metrics; a free one if it cannot be used', portNumber, 9469)
    .option('--users <n>', 'users of the simulated tenant', wholeNumber, 250)
    .option('--once', 'print the findings and exit')
    .addHelpText('after', '\nExample:\n  tenantwatch demo --users 5000')
    .action(async (options: DemoOptions) => done(await demo(io, options)))
}

/** No removals: an hour of them would exceed the limit of a day and raise a shrink hold. */
const calmLife = { usersJoining: 0.1, usersLeaving: 0, documentsUploaded: 0.1, documentsDeleted: 0 } as const

async function demo(io: Io, options: DemoOptions): Promise<ExitCode> {
  const folder = mkdtempSync(join(tmpdir(), 'tenantwatch-demo-'))
  let isStopped = false
  try {
    const { startSimulator } = await import('../simulator/index.ts')
    const clock = () => io.clock.now()
    const sizes = { users: options.users }
    await using simulator = await startSimulator({ clock, sizes, liveEveryMs: 15_000, lifeRates: calmLife })
    // Errors only: the simulated tenant deviates from its specification on purpose, so the first runs would log
    // warnings.
    const log = await createLog(io, 'error')
    print(io, `A simulated tenant with ${options.users} users listens on ${simulator.baseUrl}; syncing …\n`)
    const { daemon: started, refusal } = await startOnFreePort(simulator, folder, io, log, options.port)
    await using daemon = started
    await Promise.race([daemon.caughtUp, untilStopped(io)])
    await daemon.session.evaluate()
    const once = options.once === true
    const found = await show(daemon, io, once ? '' : ' on the page')
    if (once) return exitCodes.ok
    const { port } = daemon.address
    if (refusal !== null)
      printWrapped(io, `\nPort ${options.port} cannot be used: ${refusal}. Page and metrics are on port ${port}.`)
    log.setLevel('info')
    guide(io, { found, port, controlUrl: simulator.controlUrl ?? '', config: join(folder, configFile) })
    await Promise.race([untilStopped(io), daemon.broken])
    isStopped = true
    return exitCodes.ok
  } finally {
    rmSync(folder, { recursive: true, force: true })
    if (isStopped) print(io, '\nStopped; the folder of this demo is deleted.')
  }
}

interface Guided {
  /** The open findings, the highest severity first. */
  readonly found: readonly FindingView[]
  readonly port: number
  readonly controlUrl: string
  readonly config: string
}

/** Prints what to try. The address of the page is repeated at the end, because the first lines scroll away. */
function guide(io: Io, { found, port, controlUrl, config }: Guided): void {
  const at = `http://127.0.0.1:${port}`
  print(io, `\nStatus page  ${at}/\nMetrics      ${at}/metrics\nFindings     ${at}/api/v1/findings`)
  print(io, `Control      ${controlUrl} (lists the possible changes and faults)`)
  print(io, '\nIn a second terminal, while this one runs:')
  const program = ownCommand(io.cwd)
  const own = (words: string) => `  ${program} ${words} --config ${shellWord(config)}`
  const first = shortFingerprint(found[0]?.fingerprint ?? 'FINGERPRINT')
  const examples = ['findings', `explain ${first}`, 'report --output report.html', 'doctor'].map(own)
  const terminal = terminalOf(io)
  const alias = ['  # So that commands in their output can be copied:', `  alias tenantwatch=${aliased(program)}`]
  for (const line of [...examples, ...alias]) print(io, fitting(line, terminal))
  printWrapped(io, '\nThe simulated tenant changes a little every 15 seconds, so findings open and end by themselves.')
  printWrapped(io, 'Break it in that terminal, and watch the page; it takes up to half a minute:')
  const inAYear = toIso(io.clock.now() + 365 * dayMs)
  for (const line of tourLines(controlUrl, found, { secretsUntil: inAYear, accept: own('accept') }))
    print(io, fitting(line, terminal))
  print(io, `\nStatus page  ${at}/`)
  print(io, 'Press Ctrl-C to stop; the folder of this demo is deleted then.')
}

/** `refusal`: why the wanted port could not be used; null if it is used. */
async function startOnFreePort(
  simulator: Simulator,
  folder: string,
  io: Io,
  log: Log,
  port: number,
): Promise<{ readonly daemon: Daemon; readonly refusal: string | null }> {
  // Ignores variables of this terminal, such as TENANTWATCH_STORE_PATH.
  const own: Io = { ...io, env: {} }
  const named = { configFile: join(folder, configFile) }
  try {
    return { daemon: await startDaemon(demoSettings(simulator, folder, port), own, log, named), refusal: null }
  } catch (error) {
    if (!(error instanceof FatalError) || port === 0 || !/^Cannot listen on /.test(error.message)) throw error
    const daemon = await startDaemon(demoSettings(simulator, folder, 0), own, log, named)
    return { daemon, refusal: whyNotListening(error.cause as NodeJS.ErrnoException) }
  }
}

const configFile = 'demo.yaml'

/** Writes the demo's configuration to a file, for commands in a second terminal, and loads it. */
function demoSettings(simulator: Simulator, folder: string, port: number): Settings {
  const token = join(folder, 'token')
  writeFileSync(token, simulator.tokens.reader, { mode: 0o600 })
  const text = `
tenants:
  - name: demo
    baseUrl: ${simulator.baseUrl}
    auth: { token: { file: ${JSON.stringify(token)} } }
    ownClientId: ${simulator.credentials.reader.clientId}
    api: { pageSizeParameter: limit, requestsPerSecond: 0 }
schedule:
  users: { incremental: "*/10 * * * * *", full: "*/30 * * * * *" }
  documents: { incremental: "*/10 * * * * *", full: "*/30 * * * * *" }
  api-clients: { full: "*/20 * * * * *" }
  roles: { full: "*/30 * * * * *" }
  permissions: { full: "*/30 * * * * *" }
  authentication-settings: { full: "*/10 * * * * *" }
  evaluate: "*/10 * * * * *"
store: { path: ${JSON.stringify(join(folder, 'demo.db'))} }
server: { listen: "127.0.0.1:${port}" }
`
  const file = join(folder, configFile)
  writeFileSync(file, text, { mode: 0o600 })
  return loadSettings({ file, env: {}, catalogue }).settings
}

/** Wraps a shell command or comment. */
function fitting(line: string, terminal: Terminal | null): string {
  if (terminal === null) return line
  if (!line.startsWith('  #'))
    return wrapCommand(line, terminal)
      .split('\n')
      .map((part) => narrow(part, terminal))
      .join('\n')
  return wrapLine(line, { ...terminal, columns: terminal.columns - 2 }, 2).replaceAll('\n  ', '\n  # ')
}

/** Breaks long JSON into lines, which a quoted word of the shell may contain. */
function narrow(part: string, { columns }: Terminal): string {
  return part.length <= columns ? part : part.replaceAll(',"', ',\n      "')
}

/** @returns the open findings, the highest severity first. */
export async function show(
  { session }: Pick<Daemon, 'session'>,
  io: Io,
  where: string,
): Promise<readonly FindingView[]> {
  const found = await Array.fromAsync(session.views.findings({ states: ['open'] }))
  const shown = 5
  const sorted = bySeverity(found)
  print(io, findingsText(sorted.slice(0, shown), terminalOf(io)))
  if (found.length > shown) print(io, `… and ${found.length - shown} more${where}`)
  for (const line of unevaluatedLines(await session.views.posture())) printWrapped(io, line)
  return sorted
}

/** Value of a shell alias that works in any folder: relative paths are prefixed with `$PWD`. */
export function aliased(program: string): string {
  const words = program.split(' ')
  const isPlain = words.every((word) => /^[\w./@+-]+$/.test(word))
  if (!isPlain || words.every((word) => word.startsWith('/'))) return shellWord(program)
  return `"${words.map((word) => (word.startsWith('/') ? word : `$PWD/${word}`)).join(' ')}"`
}

/** The command that starts this program again: relative to `cwd` if the program is below it, else absolute. */
function ownCommand(cwd: string, { execPath, argv }: Pick<NodeJS.Process, 'execPath' | 'argv'> = process): string {
  const program = resolve(cwd, argv[1] ?? '')
  const root = dirname(dirname(realOf(program) ?? program))
  const isNode = (path: string) => realOf(resolve(cwd, path)) === realOf(execPath)
  const shown = (path: string) => {
    const below = relative(cwd, path)
    return shellWord(below.startsWith('..') ? path : below)
  }
  const launcher = join(root, 'bin/tenantwatch')
  // The launcher looks for Node in these places, whatever the PATH of the other terminal is.
  const finds = [join(root, 'node_modules/.bin/node'), join(root, '../.bin/node')].some(isNode)
  if (finds && realOf(launcher) !== null) return shown(launcher)
  const linked = 'node_modules/.bin/node'
  return `${shellWord(isNode(linked) ? linked : execPath)} ${shown(program)}`
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
