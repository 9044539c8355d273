import { setTimeout as pause } from 'node:timers/promises'
import { type MeasuredProcess, startMeasured } from './measured-process.ts'
import type { Programs } from './programs.ts'
import { median } from './statistics.ts'

/** The daemon while it runs. */
export interface Daemon extends MeasuredProcess {
  get(path: string): Promise<{ readonly status: number; readonly text: string }>
}

/** Starts `run` and waits until it listens. */
export async function startDaemon(programs: Programs, config: string): Promise<Daemon> {
  const started = startMeasured(programs, programs.product, ['run', '--config', config])
  const [, port] = await started.match(/"port":(\d+)[^\n]*"msg":"Listening"/)
  return {
    ...started,
    async get(path) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      return { status: response.status, text: await response.text() }
    },
  }
}

/** Waits until every resource was tried. Asks seldom where the answer takes long: it takes the daemon's time. */
export async function untilReady(daemon: Daemon): Promise<void> {
  for (;;) {
    const askedAt = performance.now()
    if ((await daemon.get('/readyz')).status === 200) return
    await pause(Math.max(50, 10 * (performance.now() - askedAt)))
  }
}

export interface Scrape {
  readonly ms: number
  /** Includes what the daemon does at the same time. */
  readonly cpuMs: number
  readonly series: number
}

/** Scrapes some times, after once that is not counted; medians. */
export async function scrape(daemon: Daemon, times: number): Promise<Scrape> {
  const { text } = await daemon.get('/metrics')
  const costs: { ms: number; cpuMs: number }[] = []
  let before = await daemon.read()
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now()
    await daemon.get('/metrics')
    const ms = performance.now() - startedAt
    const after = await daemon.read()
    costs.push({ ms, cpuMs: after.cpuMs - before.cpuMs })
    before = after
  }
  return {
    ms: median(costs.map(({ ms }) => ms)),
    cpuMs: median(costs.map(({ cpuMs }) => cpuMs)),
    series: text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length,
  }
}
