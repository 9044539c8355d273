import type { OwnChecksSettings } from '../config/own-checks/own-check.ts'
import { type Diagnosis, failure, fine } from './diagnosis.ts'
import { tryOwnChecks } from './own-check-problems.ts'

const subject = 'own checks'

/** Checks that operators wrote: one that cannot be run is `unknown` for ever. */
export async function diagnoseOwnChecks(settings: OwnChecksSettings, now: number): Promise<readonly Diagnosis[]> {
  const tried = await tryOwnChecks(settings, now)
  if (tried.length === 0) return []
  const advice = 'Mend the file; "tenantwatch config check" tries it again'
  const bad = tried.flatMap(({ check, problem }) =>
    problem === null ? [] : [failure(subject, `${check.file}: ${problem}`, advice)],
  )
  return bad.length > 0 ? bad : [fine(subject, `${tried.length} can be run`)]
}
