import { hash } from 'node:crypto'
import type { Severity } from '../model/severity.ts'
import { printable } from '../model/text/printable.ts'
import type { CheckResult } from '../store/port.ts'
import type { Outcome } from './check.ts'
import { evaluatedResult, internalError, unevaluatedResult } from './check-result.ts'
import { type CheckRun, isEvaluable, readOpenFindings, tallyOf } from './check-run.ts'
import type { CheckTally } from './check-tally.ts'
import type { NoAnswer, OwnAnswer } from './own-query.ts'

const longestSentence = 1000
const longestEntity = 500

/** Evaluates a check of one's own. */
export async function evaluateQuery(run: CheckRun): Promise<CheckResult> {
  const { check, request } = run
  const { file = '' } = check.own ?? {}
  await readOpenFindings(run)
  if (!isEvaluable(run)) return unevaluatedResult(run, 'never')
  try {
    const answer = await askQuery(run)
    if (answer.kind === 'answered') {
      const tally = tallyOf(run)
      addAnswer(tally, answer, { file, severity: check.severities[0] ?? 'info' })
      return await evaluatedResult(run, tally, problemIn(answer, file))
    }
    const detail = `${printable(file, 200)}: ${printable(answer.problem, longestSentence)}`
    const facts = { tenant: request.tenant.settings.name, check: check.id, detail }
    request.log.warn(facts, 'Own check could not be evaluated')
    return await unevaluatedResult(run, 'check_failed', detail)
  } catch (error) {
    return await internalError(run, error)
  }
}

async function askQuery({ check: { query }, request }: CheckRun): Promise<OwnAnswer | NoAnswer> {
  const { store, tenant, now, signal, ownQueries } = request
  if (query === undefined || ownQueries === undefined)
    throw new TypeError('Cannot evaluate own checks: there is no query, or no runner of queries')
  return ownQueries.ask(store, tenant.id, { ...query, now, tenant: tenant.settings.name }, signal)
}

function addAnswer(
  tally: CheckTally,
  { ok, skipped, errors, alarms }: OwnAnswer,
  { file, severity }: { readonly file: string; readonly severity: Severity },
): void {
  tally.addPassing(ok)
  for (const entity of skipped) tally.add(nameOf(entity), notApplicable)
  for (const [entity] of errors) tally.add(nameOf(entity), { kind: 'not_evaluated' })
  for (const [entity, text] of alarms) {
    const reason = printable(text, longestSentence)
    tally.add(nameOf(entity), { kind: 'fails', severity, message: reason, evidence: { ownCheck: file, reason } })
  }
}

const notApplicable: Outcome = { kind: 'ok', outside: true, resolution: 'not_applicable' }

/** Names entities that could not be evaluated; null if all were evaluated. */
function problemIn({ errors }: OwnAnswer, file: string): string | null {
  const [first] = errors
  if (first === undefined) return null
  const [entity, reason] = first
  const many = errors.length === 1 ? 'the entity' : `${errors.length} entities, such as`
  return `${file}: it cannot evaluate ${many} ${printable(entity, 80)}: ${printable(reason, longestSentence)}`
}

/** The entity id of a finding; a long name is cut and ends in its hash, so that ids stay distinct. */
function nameOf(entity: string): string {
  if (entity.length <= longestEntity) return entity.toWellFormed()
  return `${entity.slice(0, longestEntity).toWellFormed()}… (${hash('sha256', entity).slice(0, 16)})`
}
