import type { Reason } from '../model/reasons.ts'

export const levels = ['ok', 'warn', 'fail'] as const
/** `warn` is for what works but may surprise; only `fail` counts against the exit code. */
export type Level = (typeof levels)[number]

/** One thing that was looked at. */
export interface Diagnosis {
  readonly level: Level
  readonly subject: string
  /** The permission of the tenant that it takes; null where none is involved. */
  readonly permission: string | null
  /** Why it failed, in the closed vocabulary; null where no request did. */
  readonly reason: Reason | null
  /** What was found, without a full stop. */
  readonly sentence: string
  /** What to do about it; null where nothing need be done. */
  readonly advice: string | null
}

type More = Partial<Pick<Diagnosis, 'permission' | 'reason'>>

export function fine(subject: string, sentence: string, more?: More): Diagnosis {
  return diagnosis('ok', subject, [sentence, null], more)
}

export function warning(subject: string, sentence: string, advice: string, more?: More): Diagnosis {
  return diagnosis('warn', subject, [sentence, advice], more)
}

export function failure(subject: string, sentence: string, advice: string | null, more?: More): Diagnosis {
  return diagnosis('fail', subject, [sentence, advice], more)
}

function diagnosis(
  level: Level,
  subject: string,
  [sentence, advice]: readonly [string, string | null],
  { permission = null, reason = null }: More = {},
): Diagnosis {
  return { level, subject, permission, reason, sentence, advice }
}
