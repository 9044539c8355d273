import { checkStatuses } from '../../model/check-status.ts'
import { minFreshnessMs } from '../../model/freshness.ts'
import { unknownReasons } from '../../model/reasons.ts'
import { resourceNames } from '../../model/resource-names.ts'
import type { SeverityCounts } from '../../model/severity.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import type { CheckResult, CheckStateRow, FindingStore, RecordCounts } from '../port.ts'
import { fromJson, oneOf } from '../words.ts'
import { findingLog } from './finding-log.ts'
import { findingWriter } from './finding-writer.ts'
import { waiverWriter } from './waiver-writer.ts'

type Part = Pick<FindingStore, 'checkProblems' | 'checkStates' | 'confirmResults' | 'recordCounts' | 'saveResults'>

interface StoredState extends Omit<CheckStateRow, 'status' | 'reason' | 'open'> {
  readonly status: string
  readonly reason: string | null
  readonly open: string
}

const state = `"check", status, reason, entities, not_evaluated as "notEvaluated", since, evaluated_at as "evaluatedAt",
  valid_until as "validUntil", rule, open from check_states where tenant_id = ?`

/** `pass` and `not_applicable` of all tenants are no longer shown. */
export const expireAllPasses = `update check_states set valid_until = evaluated_at
  where status in ('pass', 'not_applicable') and coalesce(valid_until, evaluated_at) >= evaluated_at`

export function resultStore(database: Database): Part {
  const log = findingLog(database)
  const findings = findingWriter(database, log)
  const waivers = waiverWriter(database, log)
  const statesOf = database.prepare<[number], StoredState>(`select ${state}`)
  const putState = database.prepare(
    `insert into check_states (tenant_id, "check", status, reason, entities, not_evaluated, since, evaluated_at, valid_until,
       rule, open)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (tenant_id, "check") do update set status = excluded.status, reason = excluded.reason,
       entities = excluded.entities, not_evaluated = excluded.not_evaluated, since = excluded.since,
       evaluated_at = excluded.evaluated_at, valid_until = excluded.valid_until, rule = excluded.rule, open = excluded.open`,
  )
  const evaluated = database.prepare<[number, number, string]>(
    'update check_states set evaluated_at = ? where tenant_id = ? and "check" = ?',
  )
  const problemsOf = database.prepare<[number], { readonly check: string; readonly problem: string }>(
    'select "check", problem from check_problems where tenant_id = ? order by "check"',
  )
  const dropProblem = database.prepare<[number, string]>(
    'delete from check_problems where tenant_id = ? and "check" = ?',
  )
  const putProblem = database.prepare<[number, string, string]>(
    `insert into check_problems (tenant_id, "check", problem) values (?, ?, ?)
     on conflict (tenant_id, "check") do update set problem = excluded.problem`,
  )
  const countsOf = database.prepare<[number], { readonly resource: string; readonly counts: string }>(
    'select resource, counts from evaluated_counts where tenant_id = ?',
  )
  const putCounts = database.prepare<[number, string, string]>(
    `insert into evaluated_counts (tenant_id, resource, counts) values (?, ?, ?)
     on conflict (tenant_id, resource) do update set counts = excluded.counts`,
  )

  async function states(tx: Sql, tenantId: number): Promise<ReadonlyMap<string, StoredState>> {
    return new Map((await statesOf.all(tx, tenantId)).map((row) => [row.check, row]))
  }

  /** A new row of the history unless the last result goes on without a gap. */
  async function put(tx: Sql, tenantId: number, next: StoredState, before: StoredState | undefined, isGap: boolean) {
    if (before === undefined || isGap || !isSameResult(before, next))
      await log.result(tx, tenantId, next.evaluatedAt, next, before)
    const { check, status, reason, entities, notEvaluated, since, evaluatedAt, validUntil, rule, open } = next
    const values = [status, reason, entities, notEvaluated, since, evaluatedAt, validUntil, rule, open]
    await putState.run(tx, tenantId, check, ...values)
  }

  return {
    checkStates: (tenantId) =>
      database.read(async (tx) => [...(await states(tx, tenantId)).values()].map(toCheckState)),
    saveResults: (tenantId, at, { results, counts, currentForMs = minFreshnessMs }) => {
      const changes = results.filter(({ written, resolved }) => written.length + resolved.length > 0)
      return database.write(
        changes.map(({ check }) => ({ tenantId, check })),
        async (tx) => {
          const stored = await states(tx, tenantId)
          const problems = new Map((await problemsOf.all(tx, tenantId)).map(({ check, problem }) => [check, problem]))
          for (const result of results) {
            const { check, problem } = result
            const before = stored.get(check)
            await findings.write(tx, tenantId, { check, at, lastSeenAt: lastEvaluatedAt(before) }, result)
            await waivers.write(tx, tenantId, { check, at }, result)
            const isGap = before !== undefined && isAfterGap(before, at, currentForMs)
            await put(tx, tenantId, stateOf(result, at, before), before, isGap)
            if (problem === null && problems.has(check)) await dropProblem.run(tx, tenantId, check)
            if (problem !== null && problems.get(check) !== problem) await putProblem.run(tx, tenantId, check, problem)
          }
          for (const [resource, one] of counts ?? []) await putCounts.run(tx, tenantId, resource, JSON.stringify(one))
        },
      )
    },
    async confirmResults(tenantId, checks, at, currentForMs = minFreshnessMs) {
      if (checks.length === 0) return
      await database.write('nothing', async (tx) => {
        const stored = await states(tx, tenantId)
        for (const check of checks) {
          const before = stored.get(check)
          if (before === undefined) continue
          if (isAfterGap(before, at, currentForMs)) await log.result(tx, tenantId, at, before, before)
          await evaluated.run(tx, at, tenantId, check)
        }
      })
    },
    checkProblems: (tenantId) =>
      database.read(async (tx) => {
        return new Map((await problemsOf.all(tx, tenantId)).map(({ check, problem }) => [check, problem] as const))
      }),
    recordCounts: (tenantId) =>
      database.read(async (tx) => {
        const rows = await countsOf.all(tx, tenantId)
        return new Map(
          rows.map(({ resource, counts }) => [oneOf(resourceNames, resource), fromJson(counts) as RecordCounts]),
        )
      }),
  }
}

function stateOf(result: CheckResult, evaluatedAt: number, before: StoredState | undefined): StoredState {
  const { check, status, reason, entities, notEvaluated, validUntil, rule } = result
  const since = before?.status === status && before.reason === reason ? before.since : evaluatedAt
  const open = JSON.stringify(result.open)
  return { check, status, reason, entities, notEvaluated, since, evaluatedAt, validUntil, rule, open }
}

function isSameResult(before: StoredState, next: StoredState): boolean {
  const names = ['status', 'reason', 'entities', 'notEvaluated', 'open', 'rule'] as const
  return names.every((name) => before[name] === next[name])
}

/** True if the stored result has expired, or is later than a clock that was set back: the history then has a gap. */
function isAfterGap({ evaluatedAt, validUntil }: StoredState, at: number, currentForMs: number): boolean {
  return at - evaluatedAt > currentForMs || at < evaluatedAt || (validUntil !== null && at > validUntil)
}

/** When open findings were last seen failing: at the last evaluation, or when the status became unknown. */
function lastEvaluatedAt(before: StoredState | undefined): number {
  if (before === undefined) return 0
  return before.status === 'unknown' ? before.since : before.evaluatedAt
}

function toCheckState({ status, reason, open, ...row }: StoredState): CheckStateRow {
  return {
    ...row,
    status: oneOf(checkStatuses, status),
    reason: reason === null ? null : oneOf(unknownReasons, reason),
    open: fromJson(open) as SeverityCounts,
  }
}
