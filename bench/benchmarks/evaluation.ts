import type { WorldState } from '../support/api-world.ts'
import { engine, product, taken } from '../support/engine.ts'
import type { Cost } from '../support/measure.ts'
import type { EngineReport, EngineStep } from '../support/reports.ts'
import type { Bench, Benchmark, Row } from '../support/result.ts'
import { median } from '../support/statistics.ts'
import { worldOf } from '../support/world-of.ts'

const judge: readonly EngineStep[] = [
  { do: 'evaluate', times: 1 },
  { do: 'evaluate', times: 3 },
]

export const evaluation: Benchmark = {
  name: 'evaluation',
  about: 'all checks over all users: a hundred that fail, and one in ten',
  async run(bench) {
    const few = worldOf(bench.options.records)
    const many = { ...few, failing: Math.floor(few.users / 10) }
    const fewFound = await judged(bench, few, '100 fail')
    const manyFound = await judged(bench, many, `${many.failing} fail`)
    const mended = await mend(bench, many, few)
    return {
      rows: [...fewFound.rows, ...manyFound.rows, mended],
      against: null,
      facts: {
        ...shares('few', fewFound.rows[0], fewFound.sweep),
        ...shares('few again', fewFound.rows[1], fewFound.sweep),
        ...shares('many', manyFound.rows[0], manyFound.sweep),
        ...shares('many again', manyFound.rows[1], manyFound.sweep),
        ...shares('mended', mended, manyFound.sweep),
        'findings when many fail': manyFound.rows[0]?.facts?.['open'] ?? Number.NaN,
        'checks that could not be judged': manyFound.rows[1]?.facts?.['unknown'] ?? Number.NaN,
      },
    }
  },
}

function shares(name: string, row: Row | undefined, sweep: Cost): Readonly<Record<string, number>> {
  return {
    [`${name}: share of the sweep`]: (row?.wallMs ?? Number.NaN) / sweep.wallMs,
    [`${name}: CPU share of the sweep`]: (row?.cpuMs ?? Number.NaN) / sweep.cpuMs,
  }
}

/** The first evaluation of a mirror, which opens every finding, and those that follow and find the same. */
async function judged(bench: Bench, state: WorldState, what: string) {
  const { store, sweep } = await bench.stores.swept(state)
  const reports: EngineReport[] = []
  for (let round = 0; round < bench.options.rounds; round++)
    reports.push(
      await bench.stores.on(store, (copy) => engine(bench, copy, judge, { profile: `evaluation-${state.failing}` })),
    )
  const rows = ['first', 'again'].map((name, at): Row => {
    const all = reports.map((report) => taken(report, at))
    const of = (pick: 'wallMs' | 'cpuMs' | 'peakMiB') => median(all.map((one) => one[pick]))
    const facts = all[0]?.facts ?? {}
    const cost = { wallMs: of('wallMs'), cpuMs: of('cpuMs'), peakMiB: of('peakMiB') }
    return { name: `${product}: ${what}, ${name}`, ...cost, facts, records: state.users }
  })
  return { rows, sweep }
}

/** Those that failed were mended, and every finding closes. */
async function mend(bench: Bench, before: WorldState, after: WorldState): Promise<Row> {
  const { store } = await bench.stores.swept(before)
  const steps = [{ do: 'evaluate', times: 1 }, { do: 'sweep', resources: ['users'] }, ...judge] as const
  await bench.server.become(after)
  const report = await bench.stores.on(store, (copy) => engine(bench, copy, steps))
  return { name: `${product}: mended`, ...taken(report, 2), records: after.users }
}
