import { setTimeout as pause } from 'node:timers/promises'
import { product } from '../support/engine.ts'
import { writeConfig } from '../support/place.ts'
import { startDaemon, untilReady } from '../support/program.ts'
import type { Benchmark } from '../support/result.ts'
import { median, percentile } from '../support/statistics.ts'

export const spread: Benchmark = {
  name: 'spread',
  about: `the daemon with as many small tenants as are asked for and its default schedules`,
  slow: true,
  run: (bench) =>
    bench.stores.on(null, async (store) => {
      const { tenants, minutes } = bench.options
      const config = writeConfig({ origin: bench.server.origin, store, tenants })
      await using daemon = await startDaemon(bench, config, { lags: true })
      await untilReady(daemon)
      const readyMs = performance.now() - daemon.startedAt
      await bench.server.requests()
      await pause(minutes * 60_000)
      const { bySecond } = await bench.server.requests()
      daemon.stop()
      const probe = await daemon.ended
      if (probe === null) throw new Error('The daemon was not probed')
      const byMinute = new Map<string, number>()
      for (const [second, count] of Object.entries(bySecond)) {
        const minute = second.slice(0, 16)
        byMinute.set(minute, (byMinute.get(minute) ?? 0) + count)
      }
      const counts = [...byMinute.values()]
      const lags = probe.lags.map(([, late]) => late)
      const { wallMs, cpuMs, peakMiB } = probe
      return {
        rows: [{ name: `${product}: ${tenants} tenants`, wallMs, cpuMs, peakMiB }],
        against: null,
        facts: {
          's until everything was tried': readyMs / 1000,
          'requests in the fullest minute': Math.max(...counts),
          'requests in the middle minute': median(counts),
          'requests in the fullest second': Math.max(...Object.values(bySecond)),
          'loop p99 ms': percentile(lags, 99),
          'loop max ms': percentile(lags, 100),
        },
      }
    }),
}
