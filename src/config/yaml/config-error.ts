import { UsageError } from '../../model/errors.ts'

/** The configuration is invalid (exit code 2); lists all problems. */
export class ConfigError extends UsageError {
  /** One sentence for each problem, with its place and without secrets. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? (problems[0] ?? '') : `${problems.length} problems:\n${problems.join('\n')}`)
    this.problems = problems
  }
}
