/** One series; labels are rendered in their order. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  /** `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string
}

export interface FamilyHead {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
}

export interface SampledFamily extends FamilyHead {
  readonly samples: readonly Sample[]
}

/** Series that are already rendered, for the largest families; they must be distinct. */
export interface RenderedFamily extends FamilyHead {
  /** Each item is one or more complete lines; iterated once per rendering. */
  readonly lines: Iterable<string>
}

export type Family = SampledFamily | RenderedFamily

export interface FamilyDefinition {
  readonly name: string
  /** One sentence, with the source of the value. */
  readonly help: string
  readonly labelNames: readonly string[]
}

/** Takes each set of labels once, in the order of `labelNames`. */
export type AddSeries = (value: number, ...labels: readonly string[]) => void
