import { alternate } from '../support/alternate.ts'
import { product } from '../support/engine.ts'
import { writeConfig } from '../support/place.ts'
import { startDaemon } from '../support/program.ts'
import type { Bench, Benchmark, Taken } from '../support/result.ts'
import { worldOf } from '../support/world-of.ts'

/** Nobody listens there: what counts is what the daemon knows before it asked anybody. */
const deadOrigin = 'http://127.0.0.1:9'

export const restart: Benchmark = {
  name: 'restart',
  about: 'from the start of the process to the first scrape that shows the truth',
  async run(bench) {
    const { records, rounds } = bench.options
    const store = await bench.stores.evaluated(worldOf(records))
    const empty = await emptyMirror(bench)
    const subjects = [
      { name: `${product}: empty mirror`, run: () => firstScrape(bench, empty, deadOrigin, 0) },
      { name: `${product}: ${records} users`, run: () => firstScrape(bench, store, bench.server.origin, records) },
    ]
    const rows = await alternate(rounds, subjects)
    const [none = Number.NaN, full = Number.NaN] = rows.map(({ wallMs }) => wallMs)
    return { rows, against: `${product}: empty mirror`, facts: { 'ms empty': none, 'ms full': full } }
  },
}

/** A mirror that was made and never filled. */
async function emptyMirror(bench: Bench): Promise<string> {
  const store = bench.stores.fresh()
  await using daemon = await startDaemon(bench, writeConfig({ origin: deadOrigin, store }), { probed: false })
  daemon.stop()
  await daemon.ended
  return store
}

async function firstScrape(bench: Bench, original: string, origin: string, users: number): Promise<Taken> {
  return bench.stores.on(original, async (store) => {
    await using daemon = await startDaemon(bench, writeConfig({ origin, store }))
    const { status, text } = await daemon.get('/metrics')
    const wallMs = performance.now() - daemon.startedAt
    // What was never read is not shown at all.
    const shown = /^tenantwatch_mirror_records\{[^}]*resource="users"[^}]*\} (\d+)/m.exec(text)?.[1] ?? 0
    daemon.stop()
    const probe = await daemon.ended
    if (status !== 200 || Number(shown) !== users)
      throw new Error(`The first scrape shows ${shown} users, not ${users}`)
    return { wallMs, cpuMs: probe?.cpuMs ?? Number.NaN, peakMiB: probe?.peakMiB ?? Number.NaN }
  })
}
