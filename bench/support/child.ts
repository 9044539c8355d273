import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { once } from 'node:events'

/** A program of the benchmarks in a process of its own, which sends one message when it is ready. */
export interface Child<Ready> extends AsyncDisposable {
  readonly process: ChildProcess
  readonly ready: Ready
}

/** @throws Error when the program ends before it is ready. */
export async function startChild<Ready>(
  script: string,
  task: object,
  options: ForkOptions = {},
): Promise<Child<Ready>> {
  const child = fork(script, [JSON.stringify(task)], options)
  const closed = once(child, 'close')
  const ended = closed.then(([code, signal]) => Promise.reject(new Error(`${script} ended with ${code ?? signal}`)))
  const [ready] = (await Promise.race([once(child, 'message'), ended])) as [Ready]
  ended.catch(() => {})
  return {
    process: child,
    ready,
    async [Symbol.asyncDispose]() {
      child.kill()
      await closed
    },
  }
}
