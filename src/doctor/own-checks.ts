import { queryOf } from '../checks/own/own-check.ts'
import type { OwnCheck, OwnChecksSettings } from '../config/own-checks/own-check.ts'
import { tryQuery } from '../mirror/own-checks/own-check-store.ts'
import { printable } from '../model/text/printable.ts'

/** An own check and its error; null when its query runs over an empty mirror. */
export interface TriedCheck {
  readonly check: OwnCheck
  readonly problem: string | null
}

/** Tries every own check: its header, and its query over an empty mirror. */
export async function tryOwnChecks(settings: OwnChecksSettings, now: number): Promise<readonly TriedCheck[]> {
  const tried: TriedCheck[] = []
  for (const check of settings.checks) {
    const problem = check.problem ?? (await tryQuery({ ...queryOf(check, settings), now, tenant: 'tenant' }))
    tried.push({ check, problem: problem === null ? null : printable(problem) })
  }
  return tried
}
