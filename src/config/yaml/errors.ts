import { UsageError } from '../../model/errors.ts'
import { UnfitFile } from '../../model/process/files.ts'

/**
 * `syntax`: no YAML; `unavailable`: a variable, file or program that the configuration names is missing or unfit;
 * `conflict`: keys that contradict each other.
 */
export type MistakeCode = 'syntax' | 'unknown_key' | 'missing' | 'invalid' | 'conflict' | 'unavailable'

/** One mistake of a configuration, without secrets. */
export interface Mistake {
  readonly code: MistakeCode
  /** Such as `tenants[0].api.pageSize`; empty for a mistake of the syntax. */
  readonly key: string
  /** Null where the setting comes from an environment variable. */
  readonly line: number | null
  /** What is wrong, and what would be right. */
  readonly text: string
  /** The text after its place. */
  readonly sentence: string
}

/** The configuration is invalid (exit code 2); lists all problems. */
export class ConfigError extends UsageError {
  readonly problems: readonly string[]
  readonly mistakes: readonly Mistake[]

  constructor(found: readonly (string | Mistake)[]) {
    const problems = found.map((one) => (typeof one === 'string' ? one : one.sentence))
    super(problems.length === 1 ? (problems[0] ?? '') : `${problems.length} problems:\n${problems.join('\n')}`)
    this.problems = problems
    this.mistakes = found.filter((one) => typeof one !== 'string')
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
