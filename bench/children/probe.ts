import { writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { peakMiB } from '../support/measure.ts'
import { lagEveryMs, type ProbeReport } from '../support/reports.ts'

/**
 * Loaded before the real program, it notes what the program takes and writes it down when the program ends.
 *
 * The delays of the event loop are noted one by one with their times, because `monitorEventLoopDelay` only gives a
 * histogram: which delay belongs to which work could not be told afterwards. The CPU time of the thread beside each tells
 * a delay that is the program's own from one of a busy machine.
 */
const path = process.env['BENCH_PROBE_REPORT']
const lags: [number, number, number][] = []
let heapMiB: number | null = null

if (process.env['BENCH_PROBE_LAGS'] !== undefined) {
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  // From the start of the process, so that loading the program counts as its first delay.
  let due = lagEveryMs
  let used = 0
  setInterval(() => {
    const now = performance.now()
    const usedNow = cpuMs()
    lags.push([performance.timeOrigin + now, Math.max(0, now - due), usedNow - used])
    due = now + lagEveryMs
    used = usedNow
  }, lagEveryMs).unref()
}

process.on('SIGUSR2', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  heapMiB = process.memoryUsage().heapUsed / 2 ** 20
})

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  const cost = { wallMs: performance.now(), cpuMs: (user + system) / 1000, peakMiB: peakMiB() }
  if (path !== undefined) writeFileSync(path, JSON.stringify({ ...cost, lags, heapMiB } satisfies ProbeReport))
})
