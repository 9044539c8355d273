import type { Cost } from './measure.ts'

/** What a measured process reports of its work; facts are numbers by name. */
export interface Report extends Cost {
  readonly peakMiB: number
  readonly facts: Readonly<Record<string, number>>
}

/** How a floor reads the users of a tenant; each does what the one before it does, and more. */
export type FeedFloor = 'bytes' | 'parse' | 'upsert' | 'guarded'

export interface FeedFloorTask {
  readonly floor: FeedFloor
  readonly origin: string
  /** Database of the floors that write; made when it is not there. */
  readonly store: string
  /** The product's schema, so that the table has the same columns and indexes. */
  readonly schema: string
}

export interface ExportFloorTask {
  readonly store: string
  readonly output: string
}

export interface RenderFloorTask {
  /** A file with the exposition whose series are rendered. */
  readonly exposition: string
  readonly times: number
}

/** One piece of the product's work, in the order of the list that the child is given. */
export type EngineStep =
  /** Full syncs resources of every tenant, the tenants one after the other or together, without evaluation. */
  | { readonly do: 'full'; readonly resources: readonly string[]; readonly together?: boolean }
  /** What `sync` does: everything that is due (or all full syncs), evaluated. */
  | { readonly do: 'round'; readonly full: boolean }
  /** Runs every resource of the first tenant as the schedule does, after one run that is not counted. */
  | { readonly do: 'steady'; readonly times: number }
  | { readonly do: 'evaluate'; readonly times: number }
  | { readonly do: 'scrape'; readonly times: number; readonly saveTo?: string }

export interface EngineTask {
  readonly config: string
  readonly steps: readonly EngineStep[]
}

export interface EngineReport {
  readonly peakMiB: number
  /** Opening the mirror and wiring the tenants. */
  readonly opening: Cost
  /** One a step; of repeated work the medians. */
  readonly steps: readonly (Cost & { readonly facts: Readonly<Record<string, number>> })[]
}

/** What the probe beside the real program writes when the program ends; times in milliseconds since the epoch. */
export interface ProbeReport extends Cost {
  readonly peakMiB: number
  /** When a timer of `lagEveryMs` fired, how much too late, and what this thread computed since the last time, in milliseconds. */
  readonly lags: readonly (readonly [at: number, lateMs: number, cpuMs: number])[]
  /** Live JavaScript heap after a collection, at the last SIGUSR2; null without one. */
  readonly heapMiB: number | null
}

export const lagEveryMs = 2
