import { writeSync } from 'node:fs'
import { exitCodes, type Io } from '../model/process/io.ts'
import { systemClock } from '../model/process/system-clock.ts'
import { isService, logsJson, reloads, runProgram } from './program.ts'
import { printableLines } from './support/io.ts'
import { fatalLine } from './support/logger.ts'

/** Milliseconds after which a stop ends the process anyway: a second less than the documented 5 s. */
const stopLimitMs = 4000

/** `hangUp` is aborted by the first SIGHUP, which the caller listens for from the start of the process. */
export async function start(hangUp: AbortSignal): Promise<void> {
  const stopping = new AbortController()
  const args = process.argv.slice(2)
  // A stop is the normal end of a service, but a failure of any other command.
  const stopped = isService(args) ? exitCodes.ok : exitCodes.failed
  const stop = (signal: NodeJS.Signals) => {
    if (stopping.signal.aborted) endNow(stopped)
    stopping.abort(new DOMException(`Stopped by ${signal}`, 'AbortError'))
    setTimeout(() => endNow(stopped), stopLimitMs).unref()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (!reloads(args)) {
    hangUp.addEventListener('abort', () => stop('SIGHUP'))
    if (hangUp.aborted) stop('SIGHUP')
  }
  // Without a listener, SIGUSR1 starts Node's debugger, which would give every local user access to the token.
  process.on('SIGUSR1', () => {})
  // A closed standard error must not stop the engine.
  process.stderr.on('error', () => {})
  let writeError: NodeJS.ErrnoException | undefined
  process.stdout.on('error', (error) => {
    writeError ??= error
  })
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  const io: Io = {
    stdin: () => process.stdin,
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
  // Output to a pipe may be pending: wait at most half a second.
  process.stdout.write('', () =>
    setImmediate(() => {
      const ended = wasWritten(writeError) ? code : exitCodes.failed
      process.exitCode = ended
      setTimeout(() => endNow(ended), 500).unref()
    }),
  )
}

/** A failed write, as on a full disk, is a failure; a closed pipe is not. */
function wasWritten(writeError: NodeJS.ErrnoException | undefined): boolean {
  if (writeError === undefined || writeError.code === 'EPIPE') return true
  writeSync(2, `tenantwatch: standard output cannot be written (${writeError.code ?? writeError.message})\n`)
  return false
}

/** Written synchronously, because the process exits at once. */
function crash(error: unknown): void {
  const text = `unexpected error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
  try {
    const isLog = logsJson(process.argv.slice(2), process.stderr)
    writeSync(2, isLog ? fatalLine(text) : `tenantwatch: ${printableLines(text)}\n`)
  } finally {
    process.exit(exitCodes.failed)
  }
}

/**
 * Ends the process immediately. `process.exit` joins the threads for file access and name resolution and hangs when one of
 * them does, as on a lost network share; replacing the process image by execve ends these threads.
 */
export function endNow(code: number): void {
  // Must be the last exit listener, because others end child processes.
  process.once('exit', () => process.execve?.(process.execPath, [process.execPath, '-e', `process.exit(${code})`], {}))
  process.exit(code)
}
