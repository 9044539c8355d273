import type { Database } from '../database.ts'
import type { Dialect, List, Sql } from '../db/db.ts'
import type { NewLapse, NotedWaiver, ResolvedFinding, WrittenFinding } from '../port.ts'
import { rowWriter } from './row-writer.ts'

interface StatusChange {
  readonly check: string
  readonly status: string
  readonly reason: string | null
  readonly entities: number | null
  readonly notEvaluated: number | null
  readonly since: number
  readonly rule: string | null
  readonly open: string
}

export type FindingLog = ReturnType<typeof findingLog>

/** Writes the history of results, findings and waivers. Run inside the transaction of what it is about. */
export function findingLog(database: Database) {
  const { isIn, listOf } = database.sql
  const events = rowWriter(
    database,
    'insert into finding_events (tenant_id, fingerprint, at, kind, severity, message, evidence, resolution)',
    8,
  )
  const resolved = database.prepare<[number, string, List]>(
    `insert into finding_events (tenant_id, fingerprint, at, kind, severity, message, evidence, resolution)
       select tenant_id, fingerprint, cast(? as bigint), 'resolved', severity, message, evidence, cast(? as text)
       from findings
       where ${isIn('fingerprint')} and resolved_at is null order by id`,
  )
  const endResult = database.prepare<[{ tenantId: number; check: string }]>(
    `update check_status_changes set (confirmed_at, valid_until) =
       (select evaluated_at, valid_until from check_states where tenant_id = @tenantId and "check" = @check)
     where id = (select max(id) from check_status_changes where tenant_id = @tenantId and "check" = @check)`,
  )
  const result = database.prepare(
    `insert into check_status_changes (tenant_id, "check", at, status, reason, entities, not_evaluated, since, rule, open)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const agreed = database.prepare(
    'insert into waiver_changes (tenant_id, waiver, at, terms, "check") values (?, ?, ?, ?, ?)',
  )
  const lapsed = database.prepare<[number, string, string, string]>(
    `insert into waiver_changes (tenant_id, waiver, at, terms, "check", fingerprint, accepted, changed)
       select tenant_id, waiver, cast(? as bigint), terms, "check", fingerprint, facts, cast(? as text)
       from waived_findings where fingerprint = ? and waiver = ?`,
  )
  const lapsedAll = database.prepare<[number, number]>(
    `insert into waiver_changes (tenant_id, waiver, at, terms, "check", fingerprint, accepted, changed)
       select tenant_id, waiver, cast(? as bigint), terms, "check", fingerprint, facts, ${ofAnotherTenant(database.sql)}
       from waived_findings where tenant_id = ? and lapsed_at is null order by fingerprint, waiver`,
  )
  return {
    /** Call before the findings are written. */
    async written(tx: Sql, tenantId: number, at: number, findings: readonly WrittenFinding[]): Promise<void> {
      const replaced = findings.filter(({ replacesOpen }) => replacesOpen).map(({ fingerprint }) => fingerprint)
      if (replaced.length > 0) await resolved.run(tx, at, 'entity_removed', listOf(replaced))
      await events(
        tx,
        findings.map(({ fingerprint, kind, severity, message, evidence }) => {
          return [tenantId, fingerprint, at, kind === 'replaced' ? 'opened' : kind, severity, message, evidence, null]
        }),
      )
    },
    /** Call before the findings are resolved. */
    async resolved(tx: Sql, at: number, findings: readonly ResolvedFinding[]): Promise<void> {
      for (const [resolution, some] of Map.groupBy(findings, ({ resolution }) => resolution))
        await resolved.run(tx, at, resolution, listOf(some.map(({ fingerprint }) => fingerprint)))
    },
    /** Call before the new result is written, because the stored one has the end of the last one. */
    async result(tx: Sql, tenantId: number, at: number, change: StatusChange): Promise<void> {
      const { check, status, reason, entities, notEvaluated, since, rule, open } = change
      await endResult.run(tx, { tenantId, check })
      await result.run(tx, tenantId, check, at, status, reason, entities, notEvaluated, since, rule, open)
    },
    async agreed(tx: Sql, tenantId: number, { id, since, terms, check }: NotedWaiver): Promise<void> {
      await agreed.run(tx, tenantId, id, since, terms, check)
    },
    /** Call before the acceptances lapse. */
    async lapsed(tx: Sql, at: number, lapses: readonly NewLapse[]): Promise<void> {
      for (const { fingerprint, waiver, facts } of lapses) await lapsed.run(tx, at, facts, fingerprint, waiver)
    },
    /** All acceptances of a tenant lapse. */
    async lapsedAll(tx: Sql, tenantId: number, at: number): Promise<void> {
      await lapsedAll.run(tx, at, tenantId)
    },
  }
}

/** Facts of an accepted finding after another tenant was accepted, where the same ids are different entities. */
export const ofAnotherTenant = ({ jsonWith }: Dialect) => jsonWith('facts', 'tenant', 'accepted as another one')
