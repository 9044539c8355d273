import { engine, product, taken } from '../support/engine.ts'
import type { Benchmark, Row } from '../support/result.ts'
import { sizeOf } from '../support/stores.ts'

const steps = [
  { do: 'round', full: true },
  { do: 'round', full: false },
  { do: 'evaluate', times: 3 },
  { do: 'scrape', times: 3 },
] as const

export const scalingTenants: Benchmark = {
  name: 'scaling-tenants',
  about: 'many small tenants of 50 users in one engine: what each costs',
  async run(bench) {
    const heading = [
      'tenants',
      'first round s',
      'ms a tenant',
      'steady round s',
      'ms a tenant',
      'evaluation ms',
      'scrape ms',
    ]
    const table = [[...heading, 'series', 'peak MiB', 'database MiB']]
    const rows: Row[] = []
    for (const tenants of [1, 10, 100, 1000, 2000].filter((one) => one <= bench.options.tenants)) {
      await bench.stores.on(null, async (store) => {
        const report = await engine(bench, store, steps, { tenants, profile: `tenants-${tenants}` })
        const ms = (at: number) => taken(report, at).wallMs
        rows.push({ name: `${product}: ${tenants} tenants, first round`, ...taken(report) })
        const rounds = [0, 1].flatMap((at) => [(ms(at) / 1000).toFixed(2), (ms(at) / tenants).toFixed(1)])
        const rest = [ms(2).toFixed(1), ms(3).toFixed(1), String(taken(report, 3).facts?.['series'])]
        table.push([
          String(tenants),
          ...rounds,
          ...rest,
          report.peakMiB.toFixed(0),
          (sizeOf(store) / 2 ** 20).toFixed(1),
        ])
      })
    }
    return { rows, against: null, facts: {}, table }
  },
}
