import { SyncError } from '../model/errors.ts'
import type { Reason } from '../model/reasons.ts'
import { withConfig } from '../model/text/command-line.ts'

const levels = ['ok', 'warn', 'fail'] as const
/** Only `fail` changes the exit code. */
export type Level = (typeof levels)[number]

export interface Diagnosis {
  readonly level: Level
  readonly subject: string
  /** The permission that the endpoint requires; null for other checks. */
  readonly permission: string | null
  /** Why a request failed; null when none did. */
  readonly reason: Reason | null
  /** The result, without a full stop. */
  readonly sentence: string
  /** What to do; null when nothing. */
  readonly advice: string | null
}

type More = Partial<Pick<Diagnosis, 'permission' | 'reason'>>

/** Adds the configuration file to the commands that the texts quote. */
export function namingConfig(found: readonly Diagnosis[], config: string | undefined): readonly Diagnosis[] {
  return found.map((one) => ({
    ...one,
    sentence: withConfig(one.sentence, config),
    advice: one.advice === null ? null : withConfig(one.advice, config),
  }))
}

export function fine(subject: string, sentence: string, more?: More): Diagnosis {
  return diagnosis('ok', subject, [sentence, null], more)
}

export function warning(subject: string, sentence: string, advice: string, more?: More): Diagnosis {
  return diagnosis('warn', subject, [sentence, advice], more)
}

export function failure(subject: string, sentence: string, advice: string | null, more?: More): Diagnosis {
  return diagnosis('fail', subject, [sentence, advice], more)
}

/** Message and hint of an error; the hint is null where there is none. */
export function problemOf(error: unknown): { readonly message: string; readonly hint: string | null } {
  return {
    message: error instanceof Error ? error.message : String(error),
    hint: error instanceof SyncError ? (error.hint ?? null) : null,
  }
}

function diagnosis(
  level: Level,
  subject: string,
  [sentence, advice]: readonly [string, string | null],
  { permission = null, reason = null }: More = {},
): Diagnosis {
  return { level, subject, permission, reason, sentence, advice }
}
