import { engine, product, taken } from '../support/engine.ts'
import type { Benchmark, Row } from '../support/result.ts'
import { sizeOf } from '../support/stores.ts'
import { worldOf } from '../support/world-of.ts'

const steps = [
  { do: 'full', resources: ['users'] },
  { do: 'full', resources: ['users'] },
  { do: 'full', resources: ['api-clients', 'authentication-settings', 'documents', 'permissions', 'roles'] },
  { do: 'evaluate', times: 1 },
  { do: 'evaluate', times: 3 },
  { do: 'scrape', times: 5 },
] as const

export const scalingRecords: Benchmark = {
  name: 'scaling-records',
  about: 'one tenant that grows: what each user costs',
  async run(bench) {
    const heading = [
      'users',
      'first full sync s',
      'µs a user',
      'unchanged s',
      'µs a user',
      'evaluation ms',
      'scrape ms',
    ]
    const table = [[...heading, 'peak MiB', 'database MiB']]
    const rows: Row[] = []
    for (const records of [1000, 10_000, 100_000, 1_000_000].filter((one) => one <= bench.options.records)) {
      await bench.server.become(worldOf(records))
      await bench.stores.on(null, async (store) => {
        const report = await engine(bench, store, steps)
        const ms = (at: number) => taken(report, at).wallMs
        rows.push({ name: `${product}: ${records} users, first full sync`, ...taken(report), records })
        const fullSyncs = [0, 1].flatMap((at) => [(ms(at) / 1000).toFixed(2), ((ms(at) * 1000) / records).toFixed(1)])
        const [first = '', again = ''] = [3, 4].map((at) => ms(at).toFixed(1))
        const size = (sizeOf(store) / 2 ** 20).toFixed(1)
        table.push([
          String(records),
          ...fullSyncs,
          `${first}, then ${again}`,
          ms(5).toFixed(1),
          report.peakMiB.toFixed(0),
          size,
        ])
      })
    }
    return { rows, against: null, facts: {}, table }
  },
}
