import { alternate } from '../support/alternate.ts'
import { floorNames, floorSubject, product, sweepSubject } from '../support/engine.ts'
import { type Benchmark, ratios } from '../support/result.ts'
import { sizeOf } from '../support/stores.ts'
import { worldOf } from '../support/world-of.ts'

export const firstSweep: Benchmark = {
  name: 'first-sweep',
  about: 'every user for the first time, into an empty database',
  async run(bench) {
    const { records, rounds } = bench.options
    await bench.server.become(worldOf(records))
    const size = (store: string) => ({ 'bytes a record': sizeOf(store) / records })
    const subjects = [
      floorSubject(bench, 'bytes'),
      floorSubject(bench, 'parse'),
      floorSubject(bench, 'upsert', null, size),
      sweepSubject(bench, product, null, { profile: 'first-sweep', after: size }),
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
        'ratio of the walk alone': (own['walkMs'] ?? Number.NaN) / (floor?.wallMs ?? Number.NaN),
        'ms after the last page': wallMs - (own['walkMs'] ?? Number.NaN),
        'database bytes a record': own['bytes a record'] ?? Number.NaN,
        'floor database bytes a record': floor?.facts?.['bytes a record'] ?? Number.NaN,
      },
    }
  },
}
