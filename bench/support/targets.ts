import type { Result } from './result.ts'

/** Facts of one run of the benchmarks, as `benchmark.fact`. */
type Facts = ReadonlyMap<string, number>

interface Target {
  readonly says: string
  readonly fact: string
  /** The same by processor time, which other work on the machine disturbs less. */
  readonly cpu?: string
  /** The greatest good value, or what makes it of the facts. */
  readonly most: number | ((facts: Facts) => number)
}

const targets: readonly Target[] = [
  {
    says: 'First full sync, times the raw floor',
    fact: 'first-full-sync.ratio',
    cpu: 'first-full-sync.cpuRatio',
    most: 1.25,
  },
  {
    says: 'Unchanged full sync, times bytes and JSON.parse',
    fact: 'unchanged-full-sync.ratio',
    cpu: 'unchanged-full-sync.cpuRatio',
    most: 2,
  },
  { says: 'Unchanged full sync, records written', fact: 'unchanged-full-sync.records written', most: 0 },
  {
    says: 'Evaluation with 100 that fail, share of the full sync',
    fact: 'evaluation.few: share of the full sync',
    cpu: 'evaluation.few: CPU share of the full sync',
    most: 0.05,
  },
  {
    says: 'Evaluation with one in ten, share of the full sync',
    fact: 'evaluation.many: share of the full sync',
    cpu: 'evaluation.many: CPU share of the full sync',
    most: 1,
  },
  { says: 'Peak memory of the first full sync, MiB', fact: 'first-full-sync.peakMiB', most: 250 },
  { says: 'Peak memory of the daemon at work, MiB', fact: 'answering.peak MiB', most: 250 },
  { says: 'Page of a tenant whose every user fails, first view, ms', fact: 'page.first view: p50 ms', most: 300 },
  { says: 'The same by entity, ms', fact: 'page.by entity: p50 ms', most: 300 },
  { says: 'Memory of an idle daemon, MiB', fact: 'idle.resident MiB', most: 120 },
  ...['first full sync', 'evaluation after the first', 'second full sync', 'evaluation after the second'].flatMap(
    (phase) => [
      { says: `Event loop p99, ${phase}, ms`, fact: `answering.${phase}: loop p99 ms`, most: 25 },
      { says: `Event loop max, ${phase}, ms`, fact: `answering.${phase}: loop max ms`, most: 150 },
    ],
  ),
  { says: 'Scrape p99, first full sync, ms', fact: 'answering.first full sync: scrape p99 ms', most: 50 },
  { says: 'Scrape p99, second full sync, ms', fact: 'answering.second full sync: scrape p99 ms', most: 50 },
  {
    says: 'Steady incremental sync, requests a resource',
    fact: 'steady-incremental.requests a resource',
    most: 1,
  },
  {
    says: 'Steady incremental sync, transactions a resource',
    fact: 'steady-incremental.commits a resource',
    most: 1,
  },
  { says: 'Scrape of 100 tenants, ms', fact: 'scrape.ms with 100 tenants', most: 250 },
  {
    says: 'Scrape of 100 tenants, µs a series',
    fact: 'scrape.µs a series with 100 tenants',
    cpu: 'scrape.CPU µs a series with 100 tenants',
    most: 4,
  },
  ...[100, 1000].flatMap((tenants) => [
    { says: `Series a tenant, ${tenants} tenants`, fact: `scrape.series a tenant with ${tenants} tenants`, most: 420 },
    {
      says: `Scrape of ${tenants} tenants, CPU times prom-client`,
      fact: `scrape.CPU times the floor with ${tenants} tenants`,
      most: 2,
    },
  ]),
  {
    says: 'Scrape with many records, ms (few, and a quarter)',
    fact: 'scrape.ms with many records',
    cpu: 'scrape.CPU ms with many records',
    most: (facts) => 1.25 * (facts.get('scrape.ms with few records') ?? Number.NaN),
  },
  {
    says: 'Restart with many records, ms (twice empty, and 100)',
    fact: 'restart.ms full',
    most: (facts) => 2 * (facts.get('restart.ms empty') ?? Number.NaN) + 100,
  },
]

export interface CheckResult {
  readonly says: string
  readonly value: number
  readonly cpu: number | null
  readonly most: number
  /** `unsure` when the times on the wall and of the processor say different things. */
  readonly mark: 'pass' | 'MISS' | 'unsure'
}

export function factsOf(results: ReadonlyMap<string, Result>): Facts {
  return new Map(
    [...results].flatMap(([benchmark, { facts }]) =>
      Object.entries(facts).map(([name, value]) => [`${benchmark}.${name}`, value] as const),
    ),
  )
}

/** What the targets say of the facts that there are; those of benchmarks that did not run are left out. */
export function evaluator(facts: Facts): readonly CheckResult[] {
  return targets.flatMap(({ says, fact, cpu, most }) => {
    const value = facts.get(fact)
    if (value === undefined) return []
    const limit = typeof most === 'number' ? most : most(facts)
    const byCpu = cpu === undefined ? value : (facts.get(cpu) ?? value)
    const met = [value, byCpu].filter((one) => one <= limit).length
    const mark = met === 2 ? 'pass' : met === 0 ? 'MISS' : 'unsure'
    return [{ says, value, cpu: cpu === undefined ? null : byCpu, most: limit, mark }]
  })
}
