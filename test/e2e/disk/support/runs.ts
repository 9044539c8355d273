import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { type Ended, type Place, until } from '../../support/program.ts'
import type { Bundle } from './bundle.ts'

export { until }

/** Everything is due each second, so that a cycle is short. */
export const everySecond = `schedule:
  users: { incremental: "* * * * * *", full: "*/5 * * * * *" }
  evaluate: "* * * * * *"
`

/** A process of the program and its output so far. */
export interface Spawned {
  readonly child: ChildProcess
  readonly stdout: string
  readonly stderr: string
  readonly ended: Promise<Ended>
}

export interface Alive extends Spawned {
  readonly place: Place
  get(path: string): Promise<{ readonly status: number; readonly text: string }>
}

export interface How {
  /** A command to run it under. */
  readonly under?: readonly string[]
  readonly node?: readonly string[]
  readonly options?: SpawnOptions
}

/** Starts the bundle in a place; killed when the test ends. */
export function start({ file }: Bundle, { folder, env = {} }: Place, args: readonly string[], how: How = {}): Spawned {
  const line = [...(how.under ?? []), process.execPath, ...(how.node ?? []), file, ...args]
  const [command = '', ...rest] = line
  const path = { PATH: process.env['PATH'] }
  const child = spawn(command, rest, {
    cwd: folder,
    env: { ...(how.under === undefined ? {} : path), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...how.options,
  })
  const out = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      out[name] += text
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...out }))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    child,
    get stdout() {
      return out.stdout
    },
    get stderr() {
      return out.stderr
    },
    ended,
  }
}

export function startSync(bundle: Bundle, place: Place, ...more: readonly (string | How)[]): Spawned {
  const args = more.filter((one) => typeof one === 'string')
  const how = more.find((one) => typeof one !== 'string')
  return start(bundle, place, ['sync', ...args], how)
}

/** Starts the daemon and waits until it listens. */
export async function startRun(bundle: Bundle, place: Place, how: How = {}): Promise<Alive> {
  const started = start(bundle, place, ['run'], how)
  const port = await until(() => {
    if (started.child.exitCode !== null) throw new Error(`the daemon ended: ${started.stderr}`)
    return /"port":(\d+)[^\n]*"msg":"Listening"/.exec(started.stderr)?.[1]
  })
  return Object.assign(started, {
    place,
    async get(path: string) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      return { status: response.status, text: await response.text() }
    },
  })
}
