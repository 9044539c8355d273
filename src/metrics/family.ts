/** One series; labels are rendered in their order. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  /** Rendered labels, as a cache; absent = rendered from `labels`. */
  readonly text?: string
  /** `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string
}

export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Iterated once for each rendering; may be lazy. */
  readonly samples: Iterable<Sample>
  /** True when the samples are known to be distinct, so that rendering skips the check for duplicates. */
  readonly distinct?: boolean
}

export interface FamilyDefinition {
  readonly name: string
  /** One sentence, with the source of the value. */
  readonly help: string
  readonly labelNames: readonly string[]
}
