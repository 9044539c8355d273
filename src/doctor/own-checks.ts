import { join } from 'node:path'
import { frameworks, unknownRequirements } from '../checks/frameworks.ts'
import { queryOf } from '../checks/own/own-check.ts'
import { emptyStore, SandboxQueries } from '../checks/own/sandbox.ts'
import type { OwnCheck, OwnChecksSettings } from '../config/own-checks.ts'
import type { TenantPosture } from '../model/posture.ts'
import { shellWord } from '../model/text/command-line.ts'
import { printable } from '../model/text/printable.ts'
import { plural } from '../model/text/words.ts'
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts'

/** The own checks whose query fails over an empty mirror. */
export async function failingQueries(settings: OwnChecksSettings, now: number) {
  await using queries = new SandboxQueries()
  const failing: { readonly check: OwnCheck; readonly problem: string }[] = []
  for (const check of settings.checks) {
    const answer = await queries.ask(emptyStore, 0, { ...queryOf(check, settings), now, tenant: 'tenant' })
    if (answer.kind === 'failed') failing.push({ check, problem: printable(answer.problem) })
  }
  return failing
}

const subject = 'own checks'

export async function diagnoseOwnChecks(settings: OwnChecksSettings, now: number): Promise<readonly Diagnosis[]> {
  const count = settings.checks.length
  if (count === 0) return []
  const advice = 'Fix the file; "tenantwatch config check" tries it again'
  const failing = await failingQueries(settings, now)
  const bad = failing.map(({ check, problem }) => failure(subject, `${check.file}: ${problem}`, advice))
  const found = [...bad, ...unlistedRequirements(settings)]
  return found.length > 0
    ? found
    : [fine(subject, `${plural(count, 'query', 'queries')} without errors over an empty mirror`)]
}

/** Own checks with entities that they could not evaluate, or that failed, when they were last evaluated. */
export function diagnoseOwnResults({ checks }: TenantPosture, { folder, ...own }: OwnChecksSettings): Diagnosis[] {
  return own.checks.flatMap(({ id, file }) => {
    const view = checks.find(({ check }) => check === id)
    if (view?.problem === undefined) return []
    const { entities, notEvaluated } = view
    const sentence =
      (notEvaluated ?? 0) === 0
        ? `${id} failed when it was last evaluated`
        : `${id} could not evaluate ${notEvaluated} of ${plural(entities ?? 0, 'entity', 'entities')} (status error)`
    const path = shellWord(join(folder ?? '', file))
    return [warning(subject, sentence, `See "tenantwatch checks --try ${path}", which shows why`)]
  })
}

/** Own checks that name requirements that no report lists: a typo would omit their evidence. */
export function unlistedRequirements({ checks }: Pick<OwnChecksSettings, 'checks'>): readonly Diagnosis[] {
  return checks.flatMap((check) => {
    const unknown = unknownRequirements(check.frameworks)
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
