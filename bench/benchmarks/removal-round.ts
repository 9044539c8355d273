import { alternate } from '../support/alternate.ts'
import { floorNames, floorSubject, fullSyncSubject, product } from '../support/engine.ts'
import { type Benchmark, ratios } from '../support/result.ts'
import { worldOf } from '../support/world-of.ts'

/** As many as one run confirms, and few enough for the shrink guard. */
const most = 1000

export const removalRound: Benchmark = {
  name: 'removal-round',
  about: 'every user again, some of them gone: each is confirmed by its id and tombstoned',
  async run(bench) {
    const { records, rounds } = bench.options
    const state = worldOf(records)
    const { store } = await bench.stores.fullySynced(state)
    await bench.server.become({ ...state, removed: Math.min(most, Math.floor(records / 20)) })
    const subjects = [floorSubject(bench, 'parse'), fullSyncSubject(bench, product, store)]
    const rows = await alternate(rounds, subjects, records)
    const own = rows.at(-1)
    const { removed = Number.NaN, fullSyncMs = Number.NaN } = own?.facts ?? {}
    const afterMs = (own?.wallMs ?? Number.NaN) - fullSyncMs
    return {
      rows,
      against: floorNames.parse,
      facts: {
        ...ratios(rows, product, floorNames.parse),
        removed,
        'ms after the last page a removal': afterMs / removed,
      },
    }
  },
}
