import { UsageError } from '../../model/errors.ts'

/** The configuration cannot be used (exit code 2); every problem found is named, not only the first. */
export class ConfigError extends UsageError {
  /** One sentence a problem, each with its place; none carries a secret. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? (problems[0] ?? '') : `${problems.length} problems:\n${problems.join('\n')}`)
    this.problems = problems
  }
}
