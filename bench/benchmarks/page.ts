import { product } from '../support/engine.ts'
import { writeConfig } from '../support/place.ts'
import { type Daemon, startDaemon } from '../support/program.ts'
import type { Benchmark } from '../support/result.ts'
import { percentile } from '../support/statistics.ts'
import { worldOf } from '../support/world-of.ts'

const requests = 9

/** The floor is an answer that reads nothing. */
const floor = '/healthz'

const paths = {
  'first view': '/',
  'oldest first': '/?sort=age',
  'one check, 400 rows': '/?check=user-mfa-enrolled&show=more',
  'by entity': '/?sort=entity',
  'text that few have': '/?q=99999',
  'text that none has': '/?q=nowhere',
  'e-mail of one user': '/?q=user.99%40bench',
  'first name of many users': '/?q=Ingrid',
  'JSON, first 100': '/api/v1/findings?limit=100',
} as const

export const page: Benchmark = {
  name: 'page',
  about: 'the status page of a tenant of which every user fails a check',
  async run(bench) {
    const { records } = bench.options
    const original = await bench.stores.evaluated(worldOf(records, { failing: records }))
    return bench.stores.on(original, async (store) => {
      await using daemon = await startDaemon(bench, writeConfig({ origin: bench.server.origin, store }))
      const floorMs = percentile(await timed(daemon, floor), 50)
      const facts: Record<string, number> = { 'floor ms': floorMs }
      const table = [['request', 'p50 ms', 'max ms', 'KiB']]
      for (const [name, path] of Object.entries(paths)) {
        const { text } = await daemon.get(path)
        const all = await timed(daemon, path)
        facts[`${name}: p50 ms`] = percentile(all, 50)
        table.push([name, ...[percentile(all, 50), percentile(all, 100), text.length / 1024].map((n) => n.toFixed(1))])
      }
      daemon.stop()
      const probe = await daemon.ended
      if (probe === null) throw new Error('The daemon was not probed')
      const { wallMs, cpuMs, peakMiB } = probe
      return { rows: [{ name: product, wallMs, cpuMs, peakMiB }], against: null, facts, table }
    })
  },
}

/** Milliseconds of each of several requests, one after another. */
async function timed(daemon: Daemon, path: string): Promise<readonly number[]> {
  const all: number[] = []
  for (let n = 0; n < requests; n++) {
    const began = performance.now()
    const { status } = await daemon.get(path)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    all.push(performance.now() - began)
  }
  return all
}
