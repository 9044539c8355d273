/** One series of a family: labels in the order they are written, value without a timestamp of its own. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  /** The labels as they are written, where they were before; made of them when absent. */
  readonly text?: string
  /** `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string
}

/** A metric family as it is rendered: whole, so that a half-built one is never seen. */
export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Gone through once for each rendering; they may be made only then. */
  readonly samples: Iterable<Sample>
  /** True where samples are kept by their labels: no two can be one series, and need not be compared. */
  readonly distinct?: boolean
}

/** What is fixed of a family before it has a value. */
export interface FamilyDefinition {
  readonly name: string
  /** One sentence; of values that come from the mirror it says so. */
  readonly help: string
  readonly labelNames: readonly string[]
}
