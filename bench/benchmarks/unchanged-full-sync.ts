import { alternate } from '../support/alternate.ts'
import { floorNames, floorSubject, fullSyncSubject, product } from '../support/engine.ts'
import { type Benchmark, ratios } from '../support/result.ts'
import { worldOf } from '../support/world-of.ts'

export const unchangedFullSync: Benchmark = {
  name: 'unchanged-full-sync',
  about: 'every user again, none of them changed',
  async run(bench) {
    const { records, rounds } = bench.options
    const state = worldOf(records)
    const { store } = await bench.stores.fullySynced(state)
    const raw = await bench.stores.raw(state)
    await bench.server.become(state)
    const subjects = [
      floorSubject(bench, 'parse'),
      floorSubject(bench, 'guarded', raw),
      fullSyncSubject(bench, product, store, { profile: 'unchanged-full-sync' }),
    ]
    const rows = await alternate(rounds, subjects, records)
    const own = rows.at(-1)
    const {
      created = Number.NaN,
      updated = Number.NaN,
      removed = Number.NaN,
      fullSyncMs = Number.NaN,
    } = own?.facts ?? {}
    return {
      rows,
      against: floorNames.parse,
      facts: {
        ...ratios(rows, product, floorNames.parse),
        'records written': created + updated + removed,
        'ms after the last page': (own?.wallMs ?? Number.NaN) - fullSyncMs,
      },
    }
  },
}
