import type { Database } from '../database.ts'
import type { List, Sql } from '../db/db.ts'
import { eventAppender, resultEvent } from '../event-store.ts'
import type { CheckStateRow, NewFinding } from './finding-port.ts'

export interface StoredState extends Omit<CheckStateRow, 'status' | 'reason' | 'open'> {
  readonly status: string
  readonly reason: string | null
  readonly open: string
  readonly owing: number
}

export interface StoredFinding extends Omit<NewFinding, 'evidence' | 'facts' | 'isSameEntity'> {
  readonly id: number
  readonly evidence: string
  readonly resolvedAt: number | null
}

/** Kept in memory until it is written. Times are milliseconds since the epoch. */
export interface Confirmation {
  readonly tenantId: number
  readonly check: string
  /** `evaluatedAt` of the stored result that it confirms. */
  readonly of: number
  readonly at: number
}

const state = `"check", status, reason, entities, not_evaluated as "notEvaluated", since, evaluated_at as "evaluatedAt",
  valid_until as "validUntil", rule, open, owing from check_states where tenant_id = ?`
const finding = `id, fingerprint, entity_type as "entityType", entity_id as "entityId", severity, message, evidence,
  resolved_at as "resolvedAt" from findings`

/** `pass` and `not_applicable` of all tenants are no longer shown. */
export const expireAllPasses = `update check_states set valid_until = evaluated_at
  where status in ('pass', 'not_applicable') and coalesce(valid_until, evaluated_at) >= evaluated_at`

/** Prepared once, because every check is evaluated each minute. */
export function resultStatements(database: Database) {
  const { sql } = database
  const statesOf = database.prepare<[number], StoredState>(`select ${state}`)
  const stateOf = database.prepare<[number, string], StoredState>(`select ${state} and "check" = ?`)
  const known = database.prepare<[List], StoredFinding>(`select ${finding} where ${sql.isIn('fingerprint')}`)
  const byId = database.prepare<[List], StoredFinding>(`select ${finding} where ${sql.isIn('id')}`)
  const openIds = database.prepareValues<[number, string], number>(
    'select id from findings where tenant_id = ? and "check" = ? and resolved_at is null',
  )
  const putState = database.prepare(
    `insert into check_states (tenant_id, "check", status, reason, entities, not_evaluated, since, evaluated_at, valid_until,
       rule, open, owing)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (tenant_id, "check") do update set status = excluded.status, reason = excluded.reason,
       entities = excluded.entities, not_evaluated = excluded.not_evaluated, since = excluded.since,
       evaluated_at = excluded.evaluated_at, valid_until = excluded.valid_until, rule = excluded.rule, open = excluded.open, owing = excluded.owing`,
  )
  const append = eventAppender(database)
  const evaluated = database.prepare<[number, number, string]>(
    'update check_states set evaluated_at = ? where tenant_id = ? and "check" = ?',
  )
  // Does not confirm a result that was written since.
  const confirm = database.prepare<[Confirmation]>(
    `update check_states set evaluated_at = @at
     where tenant_id = @tenantId and "check" = @check and evaluated_at between @of and @at`,
  )
  const expirePasses = database.prepare<[number]>(`${expireAllPasses} and tenant_id = ?`)
  const settled = database.prepare<[number, string]>(
    'update check_states set owing = 0 where tenant_id = ? and "check" = ?',
  )
  const owing = database.prepare<[], { tenantId: number; check: string }>(
    'select tenant_id as "tenantId", "check" from check_states where owing = 1',
  )
  return {
    statesOf,
    stateOf,
    openIds,
    evaluated,
    confirm,
    expirePasses,
    settled,
    owing,
    known: (tx: Sql, fingerprints: readonly string[]) => known.all(tx, sql.listOf(fingerprints)),
    byId: (tx: Sql, ids: readonly number[]) => byId.all(tx, sql.listOf(ids)),
    putState(
      tx: Sql,
      tenantId: number,
      check: string,
      row: Omit<StoredState, 'check' | 'owing'> & { readonly owing: boolean },
    ): Promise<void> {
      const { status, reason, entities, notEvaluated, since, evaluatedAt, validUntil, rule, open } = row
      const values = [status, reason, entities, notEvaluated, since, evaluatedAt, validUntil, rule, open]
      return putState.run(tx, tenantId, check, ...values, row.owing ? 1 : 0)
    },
    /** Call before `putState`: the stored state has the end time of the last check result. */
    async record(tx: Sql, tenantId: number, row: Omit<StoredState, 'check' | 'owing'>, check: string): Promise<void> {
      const before = await stateOf.get(tx, tenantId, check)
      const previous = before === undefined ? null : { confirmedAt: before.evaluatedAt, validUntil: before.validUntil }
      const facts = { ...row, open: JSON.parse(row.open) as object, previous }
      await append(tx, tenantId, [resultEvent(check, row.evaluatedAt, facts)])
    },
  }
}
