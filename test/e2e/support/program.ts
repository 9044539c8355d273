import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/index.ts'
import { temporaryFolder } from '../../support/temporary.ts'

export const bundle = join(import.meta.dirname, '../../../dist/tenantwatch.js')
/** For a machine that has other things to do; only what fails takes as long. */
const busyTimeoutMs = 240_000

/** Everything is due each second, so that a cycle is short. */
export const everySecond = `schedule:
  users: { incremental: "* * * * * *", full: "*/5 * * * * *" }
  evaluate: "* * * * * *"
`

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The built program as a process of its own. */
export interface Program {
  readonly child: ChildProcess
  readonly pid: number
  readonly stdout: string
  readonly stderr: string
  readonly ended: Promise<Ended>
}

export interface Place {
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
}

/** Starts `tenantwatch` in a folder with nothing of this process's environment; killed when the test ends. */
export function program(place: Place, ...args: readonly string[]): Program {
  return programWith({}, place, ...args)
}

/** @param how options of Node, before the program, and where its output goes. */
export function programWith(
  how: { readonly node?: readonly string[]; readonly stdio?: StdioOptions },
  { folder, env = {} }: Place,
  ...args: readonly string[]
): Program {
  const { node = [], stdio = ['ignore', 'pipe', 'pipe'] } = how
  const child = spawn(process.execPath, [...node, bundle, ...args], {
    cwd: folder,
    env: { TENANTWATCH_CRON_SECONDS: '1', ...env },
    stdio,
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
    pid: child.pid ?? 0,
    get stdout() {
      return out.stdout
    },
    get stderr() {
      return out.stderr
    },
    ended,
  }
}

/** A daemon with its address. */
export interface RunningDaemon extends Program {
  readonly url: string
  get(path: string, headers?: Record<string, string>): Promise<{ status: number; text: string; headers: Headers }>
}

/** Starts `run` and waits until it listens; options of Node are those of the process, before the program. */
export async function daemon(place: Place, ...node: readonly string[]): Promise<RunningDaemon> {
  const started = programWith({ node }, place, 'run')
  const port = await until(() => {
    if (started.child.exitCode !== null) throw new Error(`the daemon ended: ${started.stderr}`)
    return /"port":(\d+)[^\n]*"msg":"Listening"/.exec(started.stderr)?.[1]
  })
  const url = `http://127.0.0.1:${port}`
  return Object.assign(started, {
    url,
    async get(path: string, headers: Record<string, string> = {}) {
      const response = await fetch(url + path, { headers })
      return { status: response.status, text: await response.text(), headers: response.headers }
    },
  })
}

/** Waits until the function gives something. */
export async function until<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + busyTimeoutMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (Date.now() > end) throw new Error(`waited ${busyTimeoutMs} ms in vain for ${look}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** A simulated tenant that ends with the test. */
export async function simulate(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ controlPort: null, ...options })
  onTestFinished(() => simulator.close())
  return simulator
}

/** A simulated tenant, and a place of its own to run for it, with more in its configuration. */
export async function world(options?: SimulatorOptions, more?: string) {
  const simulator = await simulate(options)
  return { simulator, place: placeFor(simulator, temporaryFolder(), more) }
}

/** Writes a configuration for a simulated tenant that asks as fast as it can; gives where to run. */
export function placeFor(simulator: Simulator, folder: string, more = ''): Place & { readonly store: string } {
  const store = join(folder, 'mirror.db')
  writeFileSync(
    join(folder, 'tenantwatch.yaml'),
    `tenants:
  - name: acme
    baseUrl: ${simulator.baseUrl}
    auth: { token: { env: ACME_TOKEN } }
api: { pageSizeParameter: limit, requestsPerSecond: 0 }
store: { path: ${JSON.stringify(store)} }
server: { listen: "127.0.0.1:0" }
${more}
`,
  )
  return {
    folder,
    store,
    env: { TENANTWATCH_CRON_SECONDS: '1', ACME_TOKEN: simulator.tokens.reader, TENANTWATCH_CONFIG: 'tenantwatch.yaml' },
  }
}
