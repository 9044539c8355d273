import { writeSync } from 'node:fs'
import { exitCodes, type Io } from '../model/process/io.ts'
import { systemClock } from '../model/process/system-clock.ts'
import { printable } from '../model/text/printable.ts'
import { isService, reloads, runProgram } from './program.ts'

/** How long a stop may take before the process ends anyway, in milliseconds: a second less than is promised. */
const stopLimitMs = 4000

/**
 * The process as a command sees it.
 *
 * @param hangUp aborted by the first SIGHUP; whoever calls hears that from the beginning.
 */
export async function start(hangUp: AbortSignal): Promise<void> {
  const stopping = new AbortController()
  const args = process.argv.slice(2)
  // To be stopped is how a service ends; a command that was stopped has not done its work.
  const stopped = isService(args) ? exitCodes.ok : exitCodes.failed
  const stop = () => {
    if (stopping.signal.aborted) endNow(stopped)
    stopping.abort(new DOMException('The program is stopping', 'AbortError'))
    setTimeout(() => endNow(stopped), stopLimitMs).unref()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (!reloads(args)) {
    hangUp.addEventListener('abort', stop)
    if (hangUp.aborted) stop()
  }
  // Unheard, it would open Node's debugger, and with it the token, to everybody on this machine.
  process.on('SIGUSR1', () => {})
  // A reader that went away ends the output, not the engine.
  process.stderr.on('error', () => {})
  let lost: NodeJS.ErrnoException | undefined
  process.stdout.on('error', (error) => {
    lost ??= error
  })
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  const io: Io = {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock(),
    random: Math.random,
    stop: stopping.signal,
    onReload: (callback) => void process.on('SIGHUP', callback),
  }
  const code = await runProgram(args, io)
  process.exitCode = code
  // Output to a pipe may still be on its way; only what would hold the process up is cut.
  process.stdout.write('', () =>
    setImmediate(() => {
      const ended = wasWritten(lost) ? code : exitCodes.failed
      process.exitCode = ended
      setTimeout(() => endNow(ended), 500).unref()
    }),
  )
}

/** Half a file on a full disk must not look like success; a reader that has seen enough may. */
function wasWritten(lost: NodeJS.ErrnoException | undefined): boolean {
  if (lost === undefined || lost.code === 'EPIPE') return true
  writeSync(2, `tenantwatch: standard output cannot be written (${lost.code ?? lost.message})\n`)
  return false
}

/** The last words of a crash must arrive although the process ends at once. */
function crash(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const lines = text.split('\n').map((line) => printable(line))
  try {
    writeSync(2, `tenantwatch: an unforeseen fault: ${lines.join('\n')}\n`)
  } finally {
    process.exit(exitCodes.failed)
  }
}

/**
 * Ends the process for certain. `process.exit` joins the threads that read files and ask for names, and so never ends while
 * one of them hangs, as on a share that is gone; another program in the place of this one takes their threads away.
 */
export function endNow(code: number): void {
  // The last of the listeners: others end children.
  process.once('exit', () => process.execve?.(process.execPath, [process.execPath, '-e', `process.exit(${code})`], {}))
  process.exit(code)
}
