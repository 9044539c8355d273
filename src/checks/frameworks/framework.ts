export interface Requirement {
  readonly id: string
  /** Paraphrased, not quoted. */
  readonly title: string
}

export interface Framework {
  readonly id: string
  readonly name: string
  /** Names that checks may use, in lower case without punctuation and spaces. */
  readonly aliases: readonly string[]
  readonly requirements: readonly Requirement[]
}
