import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tokenVariable } from './child.ts'
import { scratch } from './engine.ts'
import type { ProbeReport } from './reports.ts'
import type { Bench } from './result.ts'
import { until } from './until.ts'

interface ProgramOptions {
  readonly args: readonly string[]
  readonly config: string
  /** File that takes standard output; it is thrown away without one. */
  readonly output?: string
  /** Notes what the program takes; off where its own few MiB would matter. */
  readonly probed?: boolean
  /** Notes the delays of the event loop, too. */
  readonly lags?: boolean
}

/** The real program as its launchers start it; disposed of, it is killed if it still runs. */
interface Program extends AsyncDisposable {
  readonly pid: number
  /** Milliseconds, by `performance.now`, when it was started. */
  readonly startedAt: number
  /** Waits for a line of its log. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  /** All lines of its log so far. */
  readonly log: () => readonly string[]
  /** Notes the live heap, after a collection that blocks the program. */
  collect(): void
  stop(): void
  /** Resolves when it has ended; rejects with the end of its log when that was a failure. */
  readonly ended: Promise<ProbeReport | null>
}

let count = 0

export function startProgram(bench: Bench, { args, config, output, probed = true, lags }: ProgramOptions): Program {
  const { path } = bench.programs
  const report = scratch(bench, `probe-${++count}.json`)
  const flags = [...bench.options.flags, ...(probed ? ['--import', path.probe] : [])]
  const out = output === undefined ? undefined : openSync(output, 'w')
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...flags, path.product, ...args, '--config', config], {
    env: { [tokenVariable]: 'bench', BENCH_PROBE_REPORT: report, ...(lags === true && { BENCH_PROBE_LAGS: '1' }) },
    stdio: ['ignore', out ?? 'ignore', 'pipe'],
  })
  if (out !== undefined) closeSync(out)
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const closed = once(child, 'close')
  const ended = closed.then(([code]) => {
    if (code !== 0) throw new Error(`tenantwatch ${args.join(' ')} ended with ${code}: ${text.slice(-2000)}`)
    if (!probed) return null
    const probe = JSON.parse(readFileSync(report, 'utf8')) as ProbeReport
    rmSync(report)
    return probe
  })
  ended.catch(() => {})
  return {
    pid: child.pid ?? 0,
    startedAt,
    async line(pattern) {
      for (;;) {
        const found = pattern.exec(text)
        if (found !== null) return found
        if (child.stderr === null) throw new Error('The program has no log')
        await Promise.race([once(child.stderr, 'data'), ended.then(() => Promise.reject(new Error('It has ended')))])
      }
    },
    log: () => text.split('\n').filter((line) => line !== ''),
    collect: () => void child.kill('SIGUSR2'),
    stop: () => void child.kill('SIGTERM'),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** The daemon while it runs. */
export interface Daemon extends Program {
  readonly url: string
  get(path: string): Promise<{ readonly status: number; readonly text: string }>
}

/** Starts `run` and waits until it listens. */
export async function startDaemon(
  bench: Bench,
  config: string,
  options: Partial<ProgramOptions> = {},
): Promise<Daemon> {
  const program = startProgram(bench, { args: ['run'], config, ...options })
  const [, port] = await program.line(/"port":(\d+)[^\n]*"msg":"Listening"/)
  const url = `http://127.0.0.1:${port}`
  return {
    ...program,
    url,
    async get(path) {
      const response = await fetch(url + path)
      return { status: response.status, text: await response.text() }
    },
  }
}

/** Waits until every resource was tried once. */
export function untilReady(daemon: Daemon): Promise<void> {
  return until('every resource was tried', 250, async () => (await daemon.get('/readyz')).status === 200)
}
