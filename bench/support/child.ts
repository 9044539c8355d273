import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

interface ChildOptions {
  /** Options of Node itself. */
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** The token that configurations name; the benchmark's server takes any. */
export const tokenVariable = 'BENCH_TOKEN'

/** Starts a program of its own with nothing of this process's environment. */
export function start(script: string, args: readonly string[], { flags = [], env = {} }: ChildOptions): ChildProcess {
  return spawn(process.execPath, [...flags, script, ...args], {
    env: { [tokenVariable]: 'bench', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
}

/**
 * Runs a program with one task and gives what it reported.
 *
 * @throws Error with the end of what it said when it failed or reported nothing.
 */
export async function perform<T>(script: string, task: object, options: ChildOptions = {}): Promise<T> {
  const child = start(script, [JSON.stringify(task)], options)
  const said = listen(child)
  let report: T | undefined
  child.on('message', (message) => {
    report = message as T
  })
  const [code] = await once(child, 'close')
  if (code === 0 && report !== undefined) return report
  throw new Error(`${script} ended with ${code}: ${said().slice(-2000)}`)
}

/** Everything a program writes on both outputs. */
function listen(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  }
  return () => text
}
