import { CheckFailed, type RunQuery } from './check.ts'
import { evaluatedResult, type NewResult, unevaluatedResult } from './check-result.ts'
import { type CheckRun, isEvaluable, tallyOf } from './check-run.ts'
import { internalError } from './evaluate-resource.ts'
import { openFindingsOf } from './findings/open-findings.ts'
import { BudgetExceeded } from './query-budget.ts'

export interface QueryResult extends NewResult {
  /** True if the query gives the same result until its inputs change. */
  readonly isRepeatable: boolean
}

/** Evaluates a check of one's own; null if it is postponed. */
export async function evaluateQuery(run: CheckRun): Promise<QueryResult | null> {
  const { check, request } = run
  const { store, tenant, log } = request
  const open = await openFindingsOf(store, tenant.id, check)
  if (check.query === undefined || !isEvaluable(run))
    return { ...(await unevaluatedResult(run, open, 'never')), isRepeatable: true }
  try {
    const { ok, outcomes, problem } = await check.query(queryRunner(run))
    const tally = tallyOf(run, open)
    tally.addPassing(ok)
    for (const [entityId, outcome] of outcomes) tally.add(entityId, outcome)
    return { ...(await evaluatedResult(run, open, tally, problem)), isRepeatable: !check.timeBased }
  } catch (error) {
    if (error instanceof BudgetExceeded) return null
    if (!(error instanceof CheckFailed)) return { ...(await internalError(run, open, error)), isRepeatable: false }
    const { message } = error
    log.warn({ tenant: tenant.settings.name, check: check.id, detail: message }, 'Own check could not be evaluated')
    return { ...(await unevaluatedResult(run, open, 'check_failed', message)), isRepeatable: true }
  }
}

function queryRunner({ request }: CheckRun): RunQuery {
  const { store, tenant, now, signal, ownQueries, queryBudget } = request
  return (query) => {
    if (ownQueries === undefined)
      throw new TypeError('Cannot evaluate own checks: the request has no runner of queries')
    const run = () => ownQueries.ask(store, tenant.id, { ...query, now, tenant: tenant.settings.name }, signal)
    return queryBudget === undefined ? run() : queryBudget.spend(run)
  }
}
