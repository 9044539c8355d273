import { alternate } from '../support/alternate.ts'
import { floorNames, floorSubject, fullSyncSubject, product } from '../support/engine.ts'
import { type Benchmark, ratios } from '../support/result.ts'
import { worldOf } from '../support/world-of.ts'

export const changedFullSync: Benchmark = {
  name: 'changed-full-sync',
  about: 'every user again, one in a hundred with another name and another flag; the product keeps the history of both',
  async run(bench) {
    const { records, rounds } = bench.options
    const state = worldOf(records)
    const { store } = await bench.stores.fullySynced(state)
    const raw = await bench.stores.raw(state)
    await bench.server.become({ ...state, changed: Math.floor(records / 100) })
    const subjects = [
      floorSubject(bench, 'guarded', raw),
      fullSyncSubject(bench, product, store, { profile: 'changed-full-sync' }),
    ]
    const rows = await alternate(rounds, subjects, records)
    return {
      rows,
      against: floorNames.guarded,
      facts: {
        ...ratios(rows, product, floorNames.guarded),
        'records written': rows.at(-1)?.facts?.['updated'] ?? Number.NaN,
      },
    }
  },
}
