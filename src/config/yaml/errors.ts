import { UsageError } from '../../model/errors.ts'
import { UnfitFile } from '../../model/process/regular-file.ts'

/** The configuration is invalid (exit code 2); lists all problems. */
export class ConfigError extends UsageError {
  /** One sentence for each problem, with its place and without secrets. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? (problems[0] ?? '') : `${problems.length} problems:\n${problems.join('\n')}`)
    this.problems = problems
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
}

export function whyUnreadable(error: unknown): string {
  if (error instanceof UnfitFile) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
  return reasons[code] ?? `it cannot be read (${code})`
}
