import type { ApiServer } from './api-server.ts'
import type { Programs } from './bundle.ts'
import type { Cost } from './measure.ts'
import type { BenchOptions } from './options.ts'
import type { Stores } from './stores.ts'

/** What one round of a subject took. */
export interface Taken extends Cost {
  readonly peakMiB: number
  readonly facts?: Readonly<Record<string, number>>
}

/** One thing that is measured: a floor, or the product. */
export interface Subject {
  readonly name: string
  readonly run: () => Promise<Taken>
}

/** The medians of a subject. */
export interface Row extends Taken {
  readonly name: string
  /** Records that one round works on, where a rate says something. */
  readonly records?: number
}

export interface Result {
  readonly rows: readonly Row[]
  /** Name of the row that the others are compared with; null where there is no floor. */
  readonly against: string | null
  /** Numbers by name that targets may ask for. */
  readonly facts: Readonly<Record<string, number>>
  /** A table of its own, the heading first, where rows do not say it all. */
  readonly table?: readonly (readonly string[])[]
}

export interface Benchmark {
  readonly name: string
  /** One line: what is measured. */
  readonly about: string
  /** Runs only when it is named: it takes many minutes whatever is asked of it. */
  readonly slow?: true
  readonly run: (bench: Bench) => Promise<Result>
}

/** What every benchmark works with. */
export interface Bench {
  readonly options: BenchOptions
  readonly server: ApiServer
  readonly programs: Programs
  readonly stores: Stores
}

/** How often and for how much longer the product works than the floor, by wall and by processor time. */
export function ratios(rows: readonly Row[], product: string, floor: string): { ratio: number; cpuRatio: number } {
  const [one, other] = [product, floor].map((name) => rows.find((row) => row.name === name))
  if (one === undefined || other === undefined) throw new Error(`There is no row ${product} or ${floor}`)
  return { ratio: one.wallMs / other.wallMs, cpuRatio: one.cpuMs / other.cpuMs }
}
