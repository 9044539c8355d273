import { setTimeout as pause } from 'node:timers/promises'
import { product } from '../support/engine.ts'
import { statusMiB } from '../support/measure.ts'
import { writeConfig } from '../support/place.ts'
import { type Daemon, startDaemon } from '../support/program.ts'
import type { ProbeReport } from '../support/reports.ts'
import type { Bench, Benchmark, Row } from '../support/result.ts'

/** A longer delay of the event loop makes scrapes and the page late. */
const limitMs = 250

export const fleet: Benchmark = {
  name: 'fleet',
  about:
    'the daemon with as many small tenants as are asked for, beside one with a single tenant: start, first tick, rest',
  slow: true,
  async run(bench) {
    const { tenants } = bench.options
    const single = await life(bench, 1, 0)
    const many = await life(bench, tenants, bench.options.minutes)
    return {
      rows: [single.row, many.row],
      against: single.row.name,
      facts: {
        's to Listening': many.listeningMs / 1000,
        's until everything was tried': many.readyMs / 1000,
        's of CPU until then': many.readyCpuMs / 1000,
        ...delays('one tenant until then', single.starting),
        ...delays('until then', many.starting),
        ...delays('at rest', many.rest),
        'settled MiB': many.settledMiB,
        'peak MiB': many.row.peakMiB,
        'live heap MiB': many.heapMiB,
        'live heap KiB a tenant': ((many.heapMiB - single.heapMiB) * 1024) / Math.max(1, tenants - 1),
        'settled KiB a tenant': ((many.settledMiB - single.settledMiB) * 1024) / Math.max(1, tenants - 1),
      },
    }
  },
}

/** Looks seldom, because the answer of a thousand tenants takes a second of the daemon's time. */
async function untilReady(daemon: Daemon): Promise<void> {
  for (;;) {
    const asked = performance.now()
    if ((await daemon.get('/readyz')).status === 200) return
    await pause(Math.max(1000, 5 * (performance.now() - asked)))
  }
}

type Lags = ProbeReport['lags']

async function life(bench: Bench, tenants: number, minutes: number) {
  return bench.stores.on(null, async (store) => {
    const config = writeConfig({ origin: bench.server.origin, store, tenants })
    await using daemon = await startDaemon(bench, config, { lags: true })
    const listeningMs = performance.now() - daemon.startedAt
    await untilReady(daemon)
    const readyMs = performance.now() - daemon.startedAt
    const readyAt = Date.now()
    await pause(minutes * 60_000)
    const settledMiB = statusMiB(daemon.pid, 'VmRSS')
    const restedAt = Date.now()
    daemon.collect()
    await daemon.get('/healthz')
    daemon.stop()
    const probe = await daemon.ended
    if (probe === null) throw new Error('The daemon was not probed')
    const { wallMs, cpuMs, peakMiB, heapMiB, lags } = probe
    const between = (from: number, to: number): Lags => lags.filter(([at]) => at >= from && at < to)
    const row: Row = { name: `${product}: ${tenants} tenants`, wallMs, cpuMs, peakMiB }
    return {
      row,
      listeningMs,
      readyMs,
      readyCpuMs: between(0, readyAt).reduce((sum, [, , cpu]) => sum + cpu, 0),
      settledMiB,
      heapMiB: heapMiB ?? Number.NaN,
      starting: between(0, readyAt),
      rest: between(readyAt, restedAt),
    }
  })
}

/** By the clock, and by the CPU time of the thread, which other work on the machine does not lengthen. */
function delays(name: string, lags: Lags): Record<string, number> {
  const late = lags.map(([, ms]) => ms)
  const computed = lags.map(([, , ms]) => ms)
  const longest = (all: readonly number[]) => all.reduce((most, ms) => Math.max(most, ms), 0)
  const over = (all: readonly number[]) => all.filter((ms) => ms > limitMs).length
  return {
    [`${name}: longest delay ms`]: longest(late),
    [`${name}: longest delay, CPU ms`]: longest(computed),
    [`${name}: delays over ${limitMs} ms`]: over(late),
    [`${name}: delays over ${limitMs} ms of CPU`]: over(computed),
  }
}
