import { engine, taken } from '../support/engine.ts'
import { newDatabase, withDelay } from '../support/postgres.ts'
import type { Bench, Benchmark, Row } from '../support/result.ts'
import { median } from '../support/statistics.ts'
import { worldOf } from '../support/world-of.ts'

const mostTenants = 100
const times = 5

const states = ['first', 'unchanged', 'changed'] as const

/** Where the mirror is; each round has a new one. */
const places = {
  sqlite: async ({ stores }: Bench) => ({ store: stores.fresh(), async [Symbol.asyncDispose]() {} }),
  postgres: async ({ stores }: Bench) => Object.assign(await newDatabase('bench_near'), { store: stores.fresh() }),
  'postgres, 2 ms away': async ({ stores }: Bench) =>
    Object.assign(await withDelay(await newDatabase('bench_far'), 1), { store: stores.fresh() }),
} as const

export const postgres: Benchmark = {
  name: 'postgres',
  about: 'first, unchanged and changed full syncs on PostgreSQL beside SQLite; needs TEST_POSTGRES_URL',
  slow: true,
  async run(bench) {
    const { records, rounds } = bench.options
    const world = worldOf(records)
    const changed = { ...world, changed: Math.floor(records / 100) }
    const all = new Map<string, Row[]>()
    for (let round = 0; round < rounds; round++) {
      for (const tenants of [1, 4]) {
        for (const [place, open] of Object.entries(places)) {
          await using database = await open(bench)
          for (const state of states) {
            await bench.server.become(state === 'changed' ? changed : world)
            const step = { do: 'full', resources: ['users'], together: true } as const
            const report = await engine(bench, database.store, [step], {
              sameTenants: tenants,
              ...('url' in database && { url: database.url.href }),
            })
            const name = `${place}, ${tenants} tenant${tenants === 1 ? '' : 's'}, ${state}`
            const row = { ...taken(report), name, records: records * tenants }
            all.set(name, [...(all.get(name) ?? []), row])
          }
        }
      }
    }
    const rows = [...all].map(([name, some]) => middle(name, some))
    return { rows: [...rows, ...(await scrapes(bench))], against: null, facts: {} }
  },
}

/** Nothing of the mirror is remembered from one to the next, as while a replica reads its tenants for the first time. */
async function scrapes(bench: Bench): Promise<readonly Row[]> {
  const tenants = Math.min(bench.options.tenants, mostTenants)
  const rows: Row[] = []
  for (const [place, open] of Object.entries(places)) {
    await using database = await open(bench)
    const steps = [{ do: 'round', full: true } as const, { do: 'scrape', times } as const]
    const url = 'url' in database ? { url: database.url.href } : {}
    const report = await engine(bench, database.store, steps, { tenants, ...url })
    rows.push({ ...taken(report, 1), name: `${place}, scrape of ${tenants} tenants` })
  }
  return rows
}

function middle(name: string, rows: readonly Row[]): Row {
  const of = (pick: (row: Row) => number) => median(rows.map(pick))
  return {
    name,
    wallMs: of(({ wallMs }) => wallMs),
    cpuMs: of(({ cpuMs }) => cpuMs),
    peakMiB: of(({ peakMiB }) => peakMiB),
    records: rows[0]?.records ?? 0,
  }
}
