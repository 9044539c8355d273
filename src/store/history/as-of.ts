/** What counts as written by a time (docs/evidence.md#what-was-true-then). */
export interface AsOf {
  /** Condition on the table `events`. */
  events(alias: string): string
  /** Condition on the table `runs`. */
  readonly runs: string
  /** For a time that is stored elsewhere. */
  includes(time: number): boolean
  /** Replaces a time that a wrong clock wrote, later than the requested one, by that of the confirmation after it. */
  clamp(time: number): number
}

/** Everything that is written. */
export const present: AsOf = {
  events: () => '1 = 1',
  runs: '1 = 1',
  includes: () => true,
  clamp: (time) => time,
}
