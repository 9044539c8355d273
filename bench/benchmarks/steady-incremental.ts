import { engine, product, taken } from '../support/engine.ts'
import type { Benchmark } from '../support/result.ts'
import { worldOf } from '../support/world-of.ts'

const times = 10

export const steadyIncrementalSync: Benchmark = {
  name: 'steady-incremental',
  about: 'each resource once, as the schedule reads it most often, when nothing is new',
  async run(bench) {
    const state = worldOf(bench.options.records)
    const { store } = await bench.stores.fullySynced(state)
    await bench.server.become(state)
    const report = await bench.stores.on(store, (copy) => engine(bench, copy, [{ do: 'steady', times }]))
    const row = { ...taken(report), name: `${product}: all six` }
    const { facts = {} } = row
    const names = Object.keys(facts).flatMap((key) => /^(\S+) requests$/.exec(key)?.[1] ?? [])
    const columns = ['requests', 'commits', 'commits with evaluation', 'ms', 'ms with evaluation'] as const
    const number = (name: string, column: string) => facts[`${name} ${column}`] ?? Number.NaN
    const most = (column: string) => Math.max(...names.map((name) => number(name, column)))
    return {
      rows: [row],
      against: null,
      facts: {
        'requests a resource': most('requests'),
        'commits a resource': most('commits'),
        'commits a resource with evaluation': most('commits with evaluation'),
      },
      table: [
        ['resource', ...columns],
        ...names.map((name) => [name, ...columns.map((column) => number(name, column).toFixed(1))]),
      ],
    }
  },
}
