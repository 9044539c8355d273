import type { WorldState } from '../support/api-world.ts'
import { engine, product, taken } from '../support/engine.ts'
import type { Cost } from '../support/measure.ts'
import type { EngineReport, EngineStep } from '../support/reports.ts'
import type { Bench, Benchmark, Row } from '../support/result.ts'
import { median } from '../support/statistics.ts'
import { worldOf } from '../support/world-of.ts'

const evaluator: readonly EngineStep[] = [
  { do: 'evaluate', times: 1 },
  { do: 'evaluate', times: 3 },
]

export const evaluation: Benchmark = {
  name: 'evaluation',
  about: 'all checks over all users: a hundred that fail, and one in ten',
  async run(bench) {
    const few = worldOf(bench.options.records)
    const many = { ...few, failing: Math.floor(few.users / 10) }
    const fewFound = await evaluated(bench, few, '100 fail')
    const manyFound = await evaluated(bench, many, `${many.failing} fail`)
    const fixed = await fix(bench, many, few)
    return {
      rows: [...fewFound.rows, ...manyFound.rows, fixed],
      against: null,
      facts: {
        ...shares('few', fewFound.rows[0], fewFound.full),
        ...shares('few again', fewFound.rows[1], fewFound.full),
        ...shares('many', manyFound.rows[0], manyFound.full),
        ...shares('many again', manyFound.rows[1], manyFound.full),
        ...shares('fixed', fixed, manyFound.full),
        'findings when many fail': manyFound.rows[0]?.facts?.['open'] ?? Number.NaN,
        'checks that could not be evaluated': manyFound.rows[1]?.facts?.['unknown'] ?? Number.NaN,
      },
    }
  },
}

function shares(name: string, row: Row | undefined, full: Cost): Readonly<Record<string, number>> {
  return {
    [`${name}: share of the full sync`]: (row?.wallMs ?? Number.NaN) / full.wallMs,
    [`${name}: CPU share of the full sync`]: (row?.cpuMs ?? Number.NaN) / full.cpuMs,
  }
}

/** The first evaluation of a mirror, which opens every finding, and those that follow and find the same. */
async function evaluated(bench: Bench, state: WorldState, what: string) {
  const { store, full } = await bench.stores.fullySynced(state)
  const reports: EngineReport[] = []
  for (let round = 0; round < bench.options.rounds; round++)
    reports.push(
      await bench.stores.on(store, (copy) =>
        engine(bench, copy, evaluator, { profile: `evaluation-${state.failing}` }),
      ),
    )
  const rows = ['first', 'again'].map((name, at): Row => {
    const all = reports.map((report) => taken(report, at))
    const of = (pick: 'wallMs' | 'cpuMs' | 'peakMiB') => median(all.map((one) => one[pick]))
    const facts = all[0]?.facts ?? {}
    const cost = { wallMs: of('wallMs'), cpuMs: of('cpuMs'), peakMiB: of('peakMiB') }
    return { name: `${product}: ${what}, ${name}`, ...cost, facts, records: state.users }
  })
  return { rows, full }
}

/** Those that failed were fixed, and every finding closes. */
async function fix(bench: Bench, before: WorldState, after: WorldState): Promise<Row> {
  const { store } = await bench.stores.fullySynced(before)
  const steps = [{ do: 'evaluate', times: 1 }, { do: 'full', resources: ['users'] }, ...evaluator] as const
  await bench.server.become(after)
  const report = await bench.stores.on(store, (copy) => engine(bench, copy, steps))
  return { name: `${product}: fixed`, ...taken(report, 2), records: after.users }
}
