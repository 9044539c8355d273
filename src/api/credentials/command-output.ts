import { type ChildProcess, spawn } from 'node:child_process'
import { SyncError } from '../../model/errors.ts'
import { endWithProcess } from '../../model/process/end-with-process.ts'
import { codeOrNameOf } from '../transport/outcome.ts'

const timeoutMs = 10_000
const mostBytes = 64 * 1024

/** The command's stderr may contain the secret and is not logged. @throws SyncError, without the output. */
export function commandOutput(argv: readonly string[], signal: AbortSignal): Promise<string> {
  const [file = '', ...args] = argv
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { detached: true, windowsHide: true, stdio: ['ignore', 'pipe', 'ignore'] })
    const pieces: Buffer[] = []
    let bytes = 0
    let problem: string | null = null
    const kill = () => killGroup(child)
    const fail = (why: string) => {
      problem ??= why
      kill()
    }
    const late = setTimeout(() => fail(`no result within ${timeoutMs / 1000} s`), timeoutMs)
    signal.addEventListener('abort', kill)
    endWithProcess(child, kill)
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes > mostBytes) fail(`more than ${mostBytes / 1024} KiB of output`)
      else pieces.push(piece)
    })
    child.once('error', (error) => {
      problem ??= codeOrNameOf(error)
    })
    child.once('close', (code) => {
      clearTimeout(late)
      signal.removeEventListener('abort', kill)
      if (code !== 0) problem ??= code === null ? 'ended by a signal' : `exit code ${code}`
      if (signal.aborted) reject(new SyncError('aborted', 'The token command was ended with the client'))
      else if (problem === null) resolve(Buffer.concat(pieces).toString('utf8'))
      else reject(failure(problem))
    })
  })
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}

function failure(why: string): SyncError {
  return new SyncError('unauthorized', `The token command failed: ${why}`, {
    hint: 'Run the configured command by hand as the user of the daemon',
  })
}
