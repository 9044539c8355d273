import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Programs } from './programs.ts'

/** What the probe reports: use since the start of the process, delays of the event loop since the previous report. */
export interface Report {
  /** User and system time of all threads, and of child processes that have ended. */
  readonly cpuMs: number
  readonly rssMiB: number
  readonly peakMiB: number
  readonly longestDelayMs: number
  readonly longestDelayCpuMs: number
}

export interface Reading extends Report {
  /** Since the start of the process. */
  readonly elapsedMs: number
}

export interface MeasuredProcess extends AsyncDisposable {
  /** Milliseconds since its start. */
  elapsedMs(): number
  /** Both streams so far. */
  output(): string
  /** Waits for a match in its output. */
  match(pattern: RegExp): Promise<RegExpExecArray>
  read(): Promise<Reading>
  /** Resolves when the process has ended. Rejects, with the end of its output, when it failed. */
  ended(): Promise<Reading>
  terminate(): void
}

/** As the image starts the product: a small young generation takes some 100 MB off the peak memory of a large sync. */
export const launcherFlags = ['--max-semi-space-size=4']

/** The token that configurations name; the benchmarks' tenant accepts any. */
export const tokenVariable = 'BENCH_TOKEN'

/** Starts a bundled program with the options of the product's launcher and an empty environment. */
export function startMeasured({ probe }: Programs, script: string, args: readonly string[]): MeasuredProcess {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...launcherFlags, '--import', probe, script, ...args], {
    env: { [tokenVariable]: 'bench' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const elapsedMs = () => performance.now() - startedAt
  const changes = new EventEmitter()
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      output += part
      changes.emit('change')
    })
  }
  const readings: Reading[] = []
  createInterface(child.stdio[3] as Readable).on('line', (line) => {
    readings.push({ ...(JSON.parse(line) as Report), elapsedMs: elapsedMs() })
    changes.emit('change')
  })
  const closed = once(child, 'close').finally(() => changes.emit('change'))
  const failure = () =>
    new Error(`${[script, ...args].join(' ')} ended with ${child.exitCode ?? child.signalCode}: ${output.slice(-2000)}`)
  const until = async <T>(look: () => T | null | undefined): Promise<T> => {
    for (;;) {
      const found = look()
      if (found !== null && found !== undefined) return found
      if (child.exitCode !== null || child.signalCode !== null) throw failure()
      await once(changes, 'change')
    }
  }
  return {
    elapsedMs,
    output: () => output,
    match: (pattern) => until(() => pattern.exec(output)),
    read() {
      const count = readings.length
      child.kill('SIGUSR2')
      return until(() => readings[count])
    },
    async ended() {
      await closed
      const last = readings.at(-1)
      if (child.exitCode !== 0 || last === undefined) throw failure()
      return last
    },
    terminate: () => void child.kill('SIGTERM'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

/**
 * Runs a program to its end.
 *
 * @param expected - Part of its output, without which it did other work than the benchmark means.
 */
export async function runMeasured(
  programs: Programs,
  script: string,
  args: readonly string[],
  expected: string,
): Promise<Reading> {
  await using started = startMeasured(programs, script, args)
  const reading = await started.ended()
  if (started.output().includes(expected)) return reading
  throw new Error(`Output of ${args.join(' ')}: expected ${expected}, found ${started.output()}`)
}
