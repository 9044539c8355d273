import type { Severity } from '../../model/severity.ts'
import { isIn, listOf } from '../sql.ts'
import type { Database } from '../sqlite/database.ts'

export interface StoredState {
  readonly check: string
  readonly status: string
  readonly reason: string | null
  readonly entities: number | null
  readonly notEvaluated: number | null
  readonly since: number
  readonly evaluatedAt: number
  readonly validUntil: number | null
  readonly rule: string | null
  readonly open: string
  readonly owing: number
}

export interface StoredFinding {
  readonly id: number
  readonly fingerprint: string
  readonly entityType: string
  readonly entityId: string
  readonly severity: Severity
  readonly message: string
  readonly evidence: string
  readonly resolvedAt: number | null
}

const state = `"check", status, reason, entities, not_evaluated as "notEvaluated", since, evaluated_at as "evaluatedAt",
  valid_until as validUntil, rule, open, owing from check_states where tenant_id = ?`
const finding = `id, fingerprint, entity_type as "entityType", entity_id as "entityId", severity, message, evidence,
  resolved_at as "resolvedAt" from findings`

/** Prepared once: every check is evaluated each minute. */
export function resultStatements({ raw }: Database) {
  const statesOf = raw.prepare<[number], StoredState>(`select ${state}`)
  const stateOf = raw.prepare<[number, string], StoredState>(`select ${state} and "check" = ?`)
  const known = raw.prepare<[string], StoredFinding>(`select ${finding} where ${isIn('fingerprint')}`)
  const byId = raw.prepare<[string], StoredFinding>(`select ${finding} where ${isIn('id')}`)
  const openIds = raw
    .prepare<[number, string], number>(
      'select id from findings where tenant_id = ? and "check" = ? and resolved_at is null',
    )
    .pluck()
  const putState = raw.prepare(
    `insert into check_states (tenant_id, "check", status, reason, entities, not_evaluated, since, evaluated_at, valid_until,
       rule, open, owing)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (tenant_id, "check") do update set status = excluded.status, reason = excluded.reason,
       entities = excluded.entities, not_evaluated = excluded.not_evaluated, since = excluded.since,
       evaluated_at = excluded.evaluated_at, valid_until = excluded.valid_until, rule = excluded.rule, open = excluded.open, owing = excluded.owing`,
  )
  const endRecord = raw.prepare(
    `update check_status_changes set (confirmed_at, valid_until) =
       (select evaluated_at, valid_until from check_states where tenant_id = @tenantId and "check" = @check)
     where id = (select max(id) from check_status_changes where tenant_id = @tenantId and "check" = @check)`,
  )
  const beginRecord = raw.prepare(
    `insert into check_status_changes (tenant_id, "check", at, status, reason, entities, not_evaluated, since, rule, open)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const confirm = raw.prepare<[number, number, string]>(
    'update check_states set evaluated_at = ? where tenant_id = ? and "check" = ?',
  )
  const settled = raw.prepare<[number, string]>('update check_states set owing = 0 where tenant_id = ? and "check" = ?')
  const owing = raw.prepare<[], { tenantId: number; check: string }>(
    'select tenant_id as "tenantId", "check" from check_states where owing = 1',
  )
  return {
    statesOf,
    stateOf,
    openIds,
    confirm,
    settled,
    owing,
    known: (fingerprints: readonly string[]) =>
      known.all(listOf(fingerprints)).map((row) => [row.fingerprint, row] as const),
    byId: (ids: readonly number[]) => byId.all(listOf(ids)),
    putState(tenantId: number, check: string, row: Omit<StoredState, 'check' | 'owing'> & { readonly owing: boolean }) {
      const { status, reason, entities, notEvaluated, since, evaluatedAt, validUntil, rule, open } = row
      const values = [status, reason, entities, notEvaluated, since, evaluatedAt, validUntil, rule, open]
      putState.run(tenantId, check, ...values, row.owing ? 1 : 0)
    },
    /** Call before `putState`: the stored state has the end time of the last check result. */
    record(tenantId: number, row: Omit<StoredState, 'check' | 'owing'>, check: string) {
      const { status, reason, entities, notEvaluated, since, evaluatedAt, rule, open } = row
      endRecord.run({ tenantId, check })
      beginRecord.run(tenantId, check, evaluatedAt, status, reason, entities, notEvaluated, since, rule, open)
    },
  }
}
