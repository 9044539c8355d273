import { writeFileSync } from 'node:fs'
import { peakMiB } from '../support/measure.ts'
import { lagEveryMs, type ProbeReport } from '../support/reports.ts'

/**
 * Loaded before the real program, it notes what the program takes and writes it down when the program ends.
 *
 * The delays of the event loop are noted one by one with their times, because `monitorEventLoopDelay` only gives a
 * histogram: which delay belongs to which work could not be told afterwards.
 */
const path = process.env['BENCH_PROBE_REPORT']
const lags: [number, number][] = []

if (process.env['BENCH_PROBE_LAGS'] !== undefined) {
  let due = performance.now() + lagEveryMs
  setInterval(() => {
    const now = performance.now()
    lags.push([performance.timeOrigin + now, Math.max(0, now - due)])
    due = now + lagEveryMs
  }, lagEveryMs).unref()
}

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  const cost = { wallMs: performance.now(), cpuMs: (user + system) / 1000, peakMiB: peakMiB() }
  if (path !== undefined) writeFileSync(path, JSON.stringify({ ...cost, lags } satisfies ProbeReport))
})
