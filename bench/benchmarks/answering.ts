import { product } from '../support/engine.ts'
import { phases } from '../support/phases.ts'
import { writeConfig } from '../support/place.ts'
import { startDaemon } from '../support/program.ts'
import type { Benchmark } from '../support/result.ts'
import { Scraper } from '../support/scraper.ts'
import { percentile } from '../support/statistics.ts'
import { worldOf } from '../support/world-of.ts'

/** Full syncs and evaluations follow each other closely, so that no phase waits for its tick. */
const schedule = { users: { full: '*/5 * * * * *' }, evaluate: '*/5 * * * * *' }

export const answering: Benchmark = {
  name: 'answering',
  about: 'the daemon at work, one user in ten failing: delays of its event loop and of its answers meanwhile',
  run: (bench) =>
    bench.stores.on(null, async (store) => {
      const { records } = bench.options
      await bench.server.become(worldOf(records, { failing: Math.floor(records / 10) }))
      const more = { schedule, log: { level: 'debug' } }
      const config = writeConfig({ origin: bench.server.origin, store, more })
      await using daemon = await startDaemon(bench, config, { lags: true })
      const scraper = new Scraper(daemon)
      await scraper.untilSwept(2)
      daemon.stop()
      const probe = await daemon.ended
      if (probe === null) throw new Error('The daemon was not probed')
      const found = phases(daemon.log(), scraper.scrapes)
      const facts: Record<string, number> = { 'peak MiB': probe.peakMiB }
      const table = [
        ['phase', 's', 'loop p99 ms', 'loop max ms', 'scrapes', 'scrape p50 ms', 'scrape p99 ms', 'max ms', 'RSS MiB'],
      ]
      for (const { name, from, to } of found) {
        const lags = probe.lags.flatMap(([at, late]) => (at - late >= from && at - late < to ? [late] : []))
        const scrapes = scraper.scrapes.filter(({ at }) => at >= from && at < to)
        const ms = scrapes.map((one) => one.ms)
        const residentMiB = scrapes.map((one) => one.residentMiB)
        const numbers = [percentile(lags, 99), percentile(lags, 100), ms.length]
        const answers = [percentile(ms, 50), percentile(ms, 99), percentile(ms, 100)]
        table.push([
          name,
          ...[(to - from) / 1000, ...numbers, ...answers, percentile(residentMiB, 100)].map((number) =>
            number.toFixed(1),
          ),
        ])
        facts[`${name}: loop p99 ms`] = numbers[0] ?? Number.NaN
        facts[`${name}: loop max ms`] = numbers[1] ?? Number.NaN
        facts[`${name}: scrape p99 ms`] = answers[1] ?? Number.NaN
      }
      const { wallMs, cpuMs, peakMiB } = probe
      return { rows: [{ name: product, wallMs, cpuMs, peakMiB }], against: null, facts, table }
    }),
}
