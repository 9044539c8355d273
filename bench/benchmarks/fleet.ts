import { mkdtempDisposableSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Benchmark } from '../support/benchmark.ts'
import { writeConfig } from '../support/config.ts'
import { scrape, startDaemon, untilReady } from '../support/daemon.ts'
import { againstTarget, short, type Target, table } from '../support/print.ts'

/** A longer delay makes scrapes and pages late. */
const delayCpuMsAtMost = 250
const scrapeCpuMicrosecondsAtMost = 4

export const fleet: Benchmark = {
  name: 'fleet',
  about: 'the daemon with many tenants of 50 users, from an empty mirror',
  async run({ options, programs, tenant, folder: parent }) {
    using folder = mkdtempDisposableSync(join(parent, 'fleet-'))
    const config = writeConfig({ origin: tenant.origin, folder: folder.path, tenants: options.tenants })
    await using daemon = await startDaemon(programs, config)
    const listeningMs = daemon.elapsedMs()
    // From here on, so that delays of the start do not count.
    await daemon.read()
    await untilReady(daemon)
    const readyMs = daemon.elapsedMs()
    const ready = await daemon.read()
    await pause(options.minutes * 60_000)
    const settled = await daemon.read()
    const { ms, cpuMs, series } = await scrape(daemon, 5)
    const { peakMiB } = await daemon.read()
    const line = (name: string, value: number, target?: Target) => [name, short(value), ...againstTarget(value, target)]
    return table([
      [`${short(options.tenants)} tenants`, 'value', 'target', ''],
      line('listens after s', listeningMs / 1000),
      line('ready after s', readyMs / 1000),
      line('CPU until then, s', ready.cpuMs / 1000),
      line('longest delay of the event loop until then, ms', ready.longestDelayMs),
      line('the same by CPU, ms', ready.longestDelayCpuMs),
      line(`longest delay in ${options.minutes} minutes at rest, ms`, settled.longestDelayMs),
      line('the same by CPU, ms', settled.longestDelayCpuMs, { atMost: delayCpuMsAtMost }),
      line('settled memory, MiB', settled.rssMiB),
      line('peak memory, MiB', peakMiB),
      line('series', series),
      line('a scrape, ms', ms),
      line('CPU of a scrape a series, µs', (cpuMs * 1000) / series, { atMost: scrapeCpuMicrosecondsAtMost }),
    ])
  },
}
