import { execFile } from 'node:child_process'
import type { Clock } from '../../model/clock.ts'
import { endWithProcess } from '../../model/end-with-process.ts'
import { SyncError } from '../../model/errors.ts'
import { codeOf } from '../code-of.ts'
import { fetchedSource } from './fetched-source.ts'
import { parseSecret } from './parse-secret.ts'
import type { SecretSource } from './secret-source.ts'

const timeoutMs = 10_000
const maxBytes = 64 * 1024

/**
 * A secret printed by a command, run without a shell, for at most 10 s. Its output serves for one cycle; it is run again
 * when the server refuses the secret. What it writes to stderr is not told, because it may name the secret.
 */
export function commandSource(argv: readonly string[], clock: Clock, cycleMs: number): SecretSource {
  return fetchedSource({
    renewsIdentity: false,
    clock,
    cycleMs,
    async fetch(signal) {
      return { secret: parseSecret(await output(argv, signal), 'The output of the token command'), lifeMs: cycleMs }
    },
  })
}

function output(argv: readonly string[], signal: AbortSignal): Promise<string> {
  const [file = '', ...args] = argv
  return new Promise((resolve, reject) => {
    const options = {
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: maxBytes,
      windowsHide: true,
      signal,
    } as const
    const child = execFile(file, args, options, (error, stdout) => {
      if (error === null) resolve(stdout)
      else reject(failure(error, signal))
    })
    endWithProcess(child)
    child.stdin?.on('error', () => {})
    child.stdin?.end()
  })
}

function failure(error: { readonly code?: unknown; readonly killed?: boolean }, signal: AbortSignal): SyncError {
  if (signal.aborted) return new SyncError('aborted', 'The token command was ended with the client')
  const why =
    typeof error.code === 'number'
      ? `exit code ${error.code}`
      : typeof error.code === 'string'
        ? codeOf(error)
        : error.killed === true
          ? `no result within ${timeoutMs / 1000} s`
          : 'ended by a signal'
  return new SyncError('unauthorized', `The token command failed: ${why}`, {
    hint: 'Run the configured command by hand as the user of the daemon',
  })
}
