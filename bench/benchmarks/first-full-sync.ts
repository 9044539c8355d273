import { alternate } from '../support/alternate.ts'
import { floorNames, floorSubject, fullSyncSubject, product } from '../support/engine.ts'
import { type Benchmark, ratios } from '../support/result.ts'
import { sizeOf } from '../support/stores.ts'
import { worldOf } from '../support/world-of.ts'

export const firstFullSync: Benchmark = {
  name: 'first-full-sync',
  about: 'every user for the first time, into an empty database',
  async run(bench) {
    const { records, rounds } = bench.options
    await bench.server.become(worldOf(records))
    const size = (store: string) => ({ 'bytes a record': sizeOf(store) / records })
    const subjects = [
      floorSubject(bench, 'bytes'),
      floorSubject(bench, 'parse'),
      floorSubject(bench, 'upsert', null, size),
      fullSyncSubject(bench, product, null, { profile: 'first-full-sync', after: size }),
    ]
    const rows = await alternate(rounds, subjects, records)
    const { facts: own = {}, wallMs = Number.NaN, peakMiB = Number.NaN } = rows.at(-1) ?? {}
    const floor = rows.at(-2)
    const { ratio, cpuRatio } = ratios(rows, product, floorNames.upsert)
    return {
      rows,
      against: floorNames.upsert,
      facts: {
        ratio,
        cpuRatio,
        peakMiB,
        'ratio of the full sync alone': (own['fullSyncMs'] ?? Number.NaN) / (floor?.wallMs ?? Number.NaN),
        'ms after the last page': wallMs - (own['fullSyncMs'] ?? Number.NaN),
        'database bytes a record': own['bytes a record'] ?? Number.NaN,
        'floor database bytes a record': floor?.facts?.['bytes a record'] ?? Number.NaN,
      },
    }
  },
}
