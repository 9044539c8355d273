import type { Database } from '../database.ts'
import type { List, Sql } from '../db/db.ts'
import type { CheckResult, NewAcceptance } from '../port.ts'
import { type FindingLog, ofAnotherTenant } from './finding-log.ts'
import { inParts } from './finding-writer.ts'
import { rowWriter } from './row-writer.ts'

export interface WaiverWriting {
  readonly check: string
  readonly at: number
}

/** Writes which findings waivers cover. Run inside a transaction, after the findings are written. */
export function waiverWriter(database: Database, log: FindingLog) {
  const { isIn, listOf } = database.sql
  const accept = rowWriter(
    database,
    'insert into waived_findings (fingerprint, waiver, tenant_id, "check", terms, facts, severity, accepted_at)',
    8,
    'on conflict do nothing',
  )
  const lapse = database.prepare<[number, string, string, string]>(
    'update waived_findings set lapsed_at = ?, lapsed_facts = ? where fingerprint = ? and waiver = ?',
  )
  const lapseAll = database.prepare<[number, number]>(
    `update waived_findings set lapsed_at = ?, lapsed_facts = ${ofAnotherTenant(database.sql)}
     where tenant_id = ? and lapsed_at is null`,
  )
  const follow = database.prepare<[List]>(
    `update waived_findings set open_severity = case when f.resolved_at is null then f.severity end
     from findings f where f.fingerprint = waived_findings.fingerprint and ${isIn('waived_findings.fingerprint')}`,
  )

  async function add(tx: Sql, tenantId: number, { check, at }: WaiverWriting, accepted: readonly NewAcceptance[]) {
    for (const part of inParts(accepted)) {
      const rowOf = ({ fingerprint, waiver, terms, facts, severity }: NewAcceptance) => {
        return [fingerprint, waiver, tenantId, check, terms, facts, severity, at]
      }
      await accept(tx, part.map(rowOf))
      await follow.run(tx, listOf(part.map(({ fingerprint }) => fingerprint)))
    }
  }

  return {
    add,
    async write(
      tx: Sql,
      tenantId: number,
      { check, at }: WaiverWriting,
      { waivers: { accepted, lapsed }, written, resolved }: Pick<CheckResult, 'waivers' | 'written' | 'resolved'>,
    ): Promise<void> {
      await log.lapsed(tx, tenantId, at, lapsed)
      for (const { fingerprint, waiver, facts } of lapsed) await lapse.run(tx, at, facts, fingerprint, waiver)
      await add(tx, tenantId, { check, at }, accepted)
      for (const part of inParts([...written, ...resolved]))
        await follow.run(tx, listOf(part.map(({ fingerprint }) => fingerprint)))
    },
    /** Ends acceptances after another tenant was accepted, where the same ids are different entities. */
    async endAll(tx: Sql, tenantId: number, at: number): Promise<void> {
      await log.lapsedAll(tx, tenantId, at)
      await lapseAll.run(tx, at, tenantId)
    },
  }
}
