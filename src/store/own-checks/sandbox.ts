import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { Message, NoAnswer } from './question.ts'
import { sandboxProgram } from './sandbox-process.ts'

/** Limit of the answer's texts, in UTF-16 units. */
export const maxText = 4 * 2 ** 20
/** JSON takes at most six bytes per character. */
const maxOutput = 8 * maxText

export interface Deadline {
  /** At most a day. */
  readonly timeoutMs: number
  /** The problem once it has passed. */
  readonly problem: string
}

/** A separate process for queries, which can be killed. It has no environment variables and ends with this process. */
export class Sandbox implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #closed = Promise.withResolvers<void>()
  readonly #stopped = Promise.withResolvers<never>()
  #problem: string | null = null
  #said = ''
  #answered: (reply: unknown) => void = () => {}

  constructor() {
    const options = ['--no-warnings', '--max-old-space-size=64', '-e', sandboxProgram()]
    const child = spawn(process.execPath, options, { env: {}, stdio: ['pipe', 'pipe', 'ignore'] })
    this.#child = child
    this.#stopped.promise.catch(() => {})
    child.on('error', (error) => {
      this.stop(`its process cannot be run: ${error.message}`)
      // A process that could not be started has no other event.
      if (child.pid === undefined) this.#closed.resolve()
    })
    child.on('close', (code, endedBy) => {
      this.stop(`its process ended without an answer (${endedBy ?? code ?? 'unknown'})`)
      this.#closed.resolve()
    })
    // If the process ends before it has read everything, its exit has the reason.
    child.stdin.on('error', () => {})
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#hear(text))
    if (child.pid !== undefined) lowerPriority(child.pid)
  }

  /** Why it cannot be used any more; null while it can. */
  get problem(): string | null {
    return this.#problem
  }

  /** Rejects with SandboxStopped once it cannot be used any more. */
  get stopped(): Promise<never> {
    return this.#stopped.promise
  }

  /** Resolves with the number of bytes sent, once there is room for more. @throws SandboxStopped. */
  async send(messages: readonly Message[]): Promise<number> {
    const { stdin } = this.#child
    const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
    const hasRoom = this.#problem === null && stdin.write(bytes)
    // After an error of the pipe, the process ends.
    if (!hasRoom) await Promise.race([new Promise((resolve) => stdin.once('drain', resolve)), this.stopped])
    return bytes.length
  }

  /** One question at a time. @throws the signal's reason. */
  async ask<Answer>(question: Message, deadline: Deadline, signal?: AbortSignal): Promise<Answer | NoAnswer> {
    using _ = this.stopAt(deadline, signal)
    const { promise, resolve } = Promise.withResolvers<Answer | NoAnswer>()
    this.#answered = (reply) => resolve(reply as Answer | NoAnswer)
    try {
      await this.send([question])
      return await Promise.race([promise, this.stopped])
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof SandboxStopped)) throw error
      return failed(error.message)
    }
  }

  /** Stops the process when the deadline passes or the signal is aborted, until this is disposed of. */
  stopAt({ timeoutMs, problem }: Deadline, signal?: AbortSignal): Disposable {
    const abort = () => this.stop('it was aborted')
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort)
    const timer = setTimeout(() => this.stop(problem), timeoutMs)
    return {
      [Symbol.dispose]() {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      },
    }
  }

  /** Ends the process. The first `problem` answers all later questions. */
  stop(problem: string): void {
    this.#problem ??= problem
    this.#child.kill('SIGKILL')
    this.#stopped.reject(new SandboxStopped(this.#problem))
  }

  /** Resolves when the process has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop('its process was ended')
    await this.#closed.promise
  }

  #hear(text: string): void {
    this.#said += text
    if (this.#said.length > maxOutput) this.stop('its answer is too large')
    if (!text.endsWith('\n') || this.#problem !== null) return
    const [reply, last] = JSON.parse(this.#said) as [unknown, string?]
    this.#said = ''
    this.#answered(reply)
    if (last !== undefined) this.stop(last)
  }
}

/** Its message is the problem. */
export class SandboxStopped extends Error {
  override readonly name = 'SandboxStopped'
}

export function failed(problem: string): NoAnswer {
  return { kind: 'failed', problem }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It may have ended already; the priority is optional.
  }
}
