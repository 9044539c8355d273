import { alternate } from '../support/alternate.ts'
import { perform } from '../support/child.ts'
import { engine, product, scratch, taken } from '../support/engine.ts'
import type { RenderFloorTask, Report } from '../support/reports.ts'
import type { Bench, Benchmark, Row } from '../support/result.ts'
import { worldOf } from '../support/world-of.ts'

const times = 7
const smallRecords = 1000

export const scrape: Benchmark = {
  name: 'scrape',
  about: 'the exposition from the mirror: many small tenants, and one with few or with many records',
  async run(bench) {
    const { tenants, records } = bench.options
    const rows: Row[] = []
    const facts: Record<string, number> = {}
    for (const count of [10, 100, 1000].filter((one) => one <= tenants)) {
      const { floor, own } = await withTenants(bench, count)
      rows.push(floor, own)
      const { series = Number.NaN, ofTenant = Number.NaN } = own.facts ?? {}
      facts[`series a tenant with ${count} tenants`] = ofTenant
      facts[`ms with ${count} tenants`] = own.wallMs
      facts[`µs a series with ${count} tenants`] = (own.wallMs * 1000) / series
      facts[`CPU µs a series with ${count} tenants`] = (own.cpuMs * 1000) / series
      facts[`times the floor with ${count} tenants`] = own.wallMs / floor.wallMs
      facts[`CPU times the floor with ${count} tenants`] = own.cpuMs / floor.cpuMs
    }
    const few = await withRecords(bench, smallRecords)
    const many = await withRecords(bench, records)
    return {
      rows: [...rows, few, many],
      against: null,
      facts: {
        ...facts,
        'ms with few records': few.wallMs,
        'CPU ms with few records': few.cpuMs,
        'ms with many records': many.wallMs,
        'CPU ms with many records': many.cpuMs,
      },
    }
  },
}

async function withTenants(bench: Bench, tenants: number): Promise<{ readonly floor: Row; readonly own: Row }> {
  const original = await bench.stores.small(tenants)
  const exposition = scratch(bench, `exposition-${tenants}.txt`)
  const subject = {
    name: `${product}: ${tenants} tenants`,
    run: () =>
      bench.stores.on(original, async (copy) =>
        taken(
          await engine(bench, copy, [{ do: 'scrape', times, saveTo: exposition }], {
            tenants,
            profile: `scrape-${tenants}`,
          }),
        ),
      ),
  }
  const [own] = await alternate(bench.options.rounds, [subject])
  if (own === undefined) throw new Error('The scrape was not measured')
  const task: RenderFloorTask = { exposition, times }
  const floor = await perform<Report>(bench.programs.path['floor-render'], task)
  return { floor: { ...floor, name: `floor: prom-client, ${tenants} tenants` }, own }
}

async function withRecords(bench: Bench, records: number): Promise<Row> {
  const { store } = await bench.stores.fullySynced(worldOf(records))
  const steps = [{ do: 'evaluate', times: 1 } as const, { do: 'scrape', times: 3 * times } as const]
  const report = await bench.stores.on(store, (copy) => engine(bench, copy, steps))
  return { name: `${product}: 1 tenant, ${records} users`, ...taken(report, 1) }
}
