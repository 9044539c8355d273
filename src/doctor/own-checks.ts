import { frameworks, unknownRequirements } from '../checks/frameworks.ts'
import { queryOf } from '../checks/own/own-check.ts'
import type { OwnCheck, OwnChecksSettings } from '../config/own-checks/own-check.ts'
import { tryQuery } from '../mirror/own-checks/ask.ts'
import { printable } from '../model/text/printable.ts'
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts'

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

const subject = 'own checks'

export async function diagnoseOwnChecks(settings: OwnChecksSettings, now: number): Promise<readonly Diagnosis[]> {
  const tried = await tryOwnChecks(settings, now)
  if (tried.length === 0) return []
  const advice = 'Fix the file; "tenantwatch config check" tries it again'
  const bad = tried.flatMap(({ check, problem }) =>
    problem === null ? [] : [failure(subject, `${check.file}: ${problem}`, advice)],
  )
  const found = [...bad, ...unlistedRequirements(settings)]
  return found.length > 0 ? found : [fine(subject, `${tried.length} run without errors`)]
}

/** Own checks that name requirements which no report lists: a typing error would leave out the evidence. */
export function unlistedRequirements({ checks }: Pick<OwnChecksSettings, 'checks'>): readonly Diagnosis[] {
  return checks.flatMap((check) => {
    const unknown = check.problem === null ? unknownRequirements(check.frameworks) : []
    if (unknown.length === 0) return []
    const sentence = `${check.file}: frameworks names ${unknown.map((name) => JSON.stringify(name)).join(', ')}, which no report lists`
    const known = frameworks.map(({ name }) => name).join('; ')
    return [
      warning(
        subject,
        sentence,
        `Write a framework and one of its requirements, such as "SOC 2 CC6.1". There are ${known}`,
      ),
    ]
  })
}
