import { type ChildProcess, spawn } from 'node:child_process'
import type { NoAnswer, OwnAnswer } from '../../evaluate/own-query.ts'
import { secondMs } from '../../model/durations.ts'
import { type Job, type Message, sandboxProgram } from './sandbox-program.ts'

const options = ['--permission', '--allow-worker', '--no-warnings', '--max-old-space-size=96']

/** A process without environment, files and network that answers queries. It ends with this process. */
export class Sandbox implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #ended = Promise.withResolvers<NoAnswer>()
  #problem: string | null = null

  /** @param memoryLimit of the process, in bytes. */
  constructor(memoryLimit: number) {
    this.#child = spawn(process.execPath, [...options, '-e', sandboxProgram(memoryLimit)], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('error', (error) => this.#end(`its process cannot be run: ${error.message}`))
    this.#child.on('exit', (code, signal) => {
      const limit = `it takes more than ${Math.round(memoryLimit / 2 ** 20)} MiB of memory, with the records`
      this.#end(signal === 'SIGUSR2' ? limit : `its process ended without an answer (${signal ?? code})`)
    })
  }

  /** Why it cannot be used any more; null while it can. */
  get problem(): string | null {
    return this.#problem
  }

  /** Resolves once the message is on its way or the process has ended. */
  async send(message: Message): Promise<void> {
    const sent = new Promise<void>((resolve) => this.#child.send(message, () => resolve()))
    await Promise.race([sent, this.#ended.promise])
  }

  /** One query at a time. The process is stopped at the time-out, and when the signal is aborted. */
  async ask(job: Job, timeoutMs: number, signal?: AbortSignal): Promise<OwnAnswer | NoAnswer> {
    const problem = `it takes longer than ${timeoutMs / secondMs} s (ownChecks.timeoutSeconds)`
    const timer = setTimeout(() => this.#stop(problem), timeoutMs)
    const abort = () => this.#stop('it was aborted')
    signal?.addEventListener('abort', abort)
    try {
      const answer = new Promise<OwnAnswer>((resolve) => this.#child.once('message', resolve))
      await this.send(job)
      return await Promise.race([answer, this.#ended.promise])
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Resolves when the process has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop('its process was ended')
    await this.#ended.promise
  }

  #stop(problem: string): void {
    this.#problem ??= problem
    this.#child.kill('SIGKILL')
  }

  #end(problem: string): void {
    this.#problem ??= problem
    this.#ended.resolve({ kind: 'failed', problem: this.#problem })
  }
}
