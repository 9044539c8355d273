import type { Description } from '../model/describe.ts'
import { SyncError } from '../model/errors.ts'
import type { Reason } from '../model/reasons.ts'

/** A result of the doctor. Only the level `fail` changes the exit code. */
export interface Diagnosis extends Description {
  readonly subject: string
  /** The permission that the endpoint requires; null for other checks. */
  readonly permission: string | null
  /** Why a request failed; null when none did. */
  readonly reason: Reason | null
}

type More = Partial<Pick<Diagnosis, 'permission' | 'reason'>>

export function fine(subject: string, text: string, more?: More): Diagnosis {
  return diagnosis(subject, { level: 'ok', text, next: null }, more)
}

export function warning(subject: string, text: string, next: string, more?: More): Diagnosis {
  return diagnosis(subject, { level: 'warn', text, next }, more)
}

export function failure(subject: string, text: string, next: string | null, more?: More): Diagnosis {
  return diagnosis(subject, { level: 'fail', text, next }, more)
}

/** Fine, or a warning with its advice. */
export function judged(subject: string, isFine: boolean, text: string, next: string): Diagnosis {
  return isFine ? fine(subject, text) : warning(subject, text, next)
}

export function diagnosis(subject: string, described: Description, more: More = {}): Diagnosis {
  const { permission = null, reason = null } = more
  return { subject, permission, reason, ...described }
}

/** Message and hint of an error; the hint is null where there is none. */
export function problemOf(error: unknown): { readonly message: string; readonly hint: string | null } {
  return {
    message: error instanceof Error ? error.message : String(error),
    hint: error instanceof SyncError ? (error.hint ?? null) : null,
  }
}
