import { and, asc, count, eq, gt, inArray, isNull } from 'drizzle-orm'
import { checkStatuses, type Resolution, resolutions } from '../model/check-status.ts'
import { unknownReasons } from '../model/reasons.ts'
import { severities } from '../model/severity.ts'
import { type Database, transact } from './database.ts'
import type { FindingRow, FindingStore, NewFinding, Verdict } from './port.ts'
import { checkStates, checkStatusChanges, findings, tenants } from './schema/index.ts'

type Part = Pick<FindingStore, 'checkStates' | 'commitVerdict' | 'countFindings' | 'findings'>
type Stored = typeof findings.$inferSelect

const batchSize = 500

function oneOf<const T extends string>(list: readonly T[], text: string): T {
  const found = list.find((item) => item === text)
  if (found === undefined) throw new TypeError(`The mirror holds "${text}", which this version does not know`)
  return found
}

function toFinding({ id: _, tenantId: __, ...row }: Stored, tenant: string): FindingRow {
  return {
    ...row,
    tenant,
    severity: oneOf(severities, row.severity),
    evidence: JSON.parse(row.evidence) as Record<string, unknown>,
    resolution: row.resolution === null ? null : oneOf(resolutions, row.resolution),
  }
}

/** Verdicts of checks, and the life of findings: opened, changed, resolved, reopened. */
export function findingStore(database: Database): Part {
  const { orm, raw } = database
  const insert = raw.prepare(
    `insert into findings (fingerprint, tenant_id, "check", entity_type, entity_id, severity, message, evidence, first_seen_at, last_seen_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (fingerprint) do update set severity = excluded.severity, message = excluded.message,
       evidence = excluded.evidence, last_seen_at = excluded.last_seen_at, resolved_at = null, resolution = null,
       reopened = reopened + 1
     returning reopened`,
  )
  const change = raw.prepare(
    'update findings set severity = ?, message = ?, evidence = ?, last_seen_at = ? where fingerprint = ?',
  )
  const resolve = raw.prepare(
    'update findings set resolved_at = ?, last_seen_at = max(last_seen_at, ?), resolution = ? where id = ?',
  )
  const event = raw.prepare(
    `insert into finding_events (fingerprint, at, kind, severity, message, evidence, resolution)
     values (?, ?, ?, ?, ?, ?, ?)`,
  )

  function putFailing(
    open: ReadonlyMap<string, Stored>,
    { tenantId, check, at }: Verdict,
    finding: NewFinding,
  ): boolean {
    const { fingerprint, severity, message, entityType, entityId } = finding
    const evidence = JSON.stringify(finding.evidence)
    const known = open.get(fingerprint)
    if (known === undefined) {
      const values = [fingerprint, tenantId, check, entityType, entityId, severity, message, evidence, at, at]
      const { reopened } = insert.get(...values) as { reopened: number }
      event.run(fingerprint, at, reopened > 0 ? 'reopened' : 'opened', severity, message, evidence, null)
      return true
    }
    if (known.severity !== severity || known.message !== message || known.evidence !== evidence) {
      change.run(severity, message, evidence, at, fingerprint)
      event.run(fingerprint, at, 'changed', severity, message, evidence, null)
    }
    return false
  }

  /** When an open finding of the check was last seen failing: the evaluation before, or where that ceased to know. */
  function lastJudgedAt({ tenantId, check }: Verdict): number {
    const where = and(eq(checkStates.tenantId, tenantId), eq(checkStates.check, check))
    const known = orm.select().from(checkStates).where(where).get()
    if (known === undefined) return 0
    return known.status === 'unknown' ? known.since : known.evaluatedAt
  }

  function putState({ tenantId, check, at, status, reason, entities, rule }: Verdict): void {
    const where = and(eq(checkStates.tenantId, tenantId), eq(checkStates.check, check))
    const known = orm.select().from(checkStates).where(where).get()
    const same = known?.status === status && known.reason === reason
    const since = same ? known.since : at
    const set = { status, reason, entities, since, evaluatedAt: at, rule }
    orm
      .insert(checkStates)
      .values({ tenantId, check, ...set })
      .onConflictDoUpdate({ target: [checkStates.tenantId, checkStates.check], set })
      .run()
    if (!same) orm.insert(checkStatusChanges).values({ tenantId, check, at, status, reason, entities }).run()
  }

  return {
    async checkStates(tenantId) {
      const rows = orm.select().from(checkStates).where(eq(checkStates.tenantId, tenantId)).all()
      return rows.map(({ tenantId: _, ...row }) => ({
        ...row,
        status: oneOf(checkStatuses, row.status),
        reason: row.reason === null ? null : oneOf(unknownReasons, row.reason),
      }))
    },
    async commitVerdict(verdict) {
      const { tenantId, check, at } = verdict
      const isOpen = and(eq(findings.tenantId, tenantId), eq(findings.check, check), isNull(findings.resolvedAt))
      const open = new Map(
        orm
          .select()
          .from(findings)
          .where(isOpen)
          .all()
          .map((row) => [row.fingerprint, row] as const),
      )
      const failing = new Set(verdict.failing.map(({ fingerprint }) => fingerprint))
      const ended: { readonly row: Stored; readonly resolution: Resolution }[] = []
      for (const row of open.values()) {
        if (failing.has(row.fingerprint)) continue
        const resolution = await verdict.resolve({
          ...row,
          evidence: JSON.parse(row.evidence) as Record<string, unknown>,
        })
        if (resolution !== null) ended.push({ row, resolution })
      }
      return transact(database, () => {
        const opened = verdict.failing.filter((finding) => putFailing(open, verdict, finding)).length
        const resolved: Partial<Record<Resolution, number>> = {}
        const lastSeen = lastJudgedAt(verdict)
        for (const { row, resolution } of ended) {
          resolve.run(at, lastSeen, resolution, row.id)
          event.run(row.fingerprint, at, 'resolved', row.severity, row.message, row.evidence, resolution)
          resolved[resolution] = (resolved[resolution] ?? 0) + 1
        }
        putState(verdict)
        return { opened, resolved }
      })
    },
    async countFindings(tenantId) {
      const rows = orm
        .select({ check: findings.check, severity: findings.severity, count: count() })
        .from(findings)
        .where(and(eq(findings.tenantId, tenantId), isNull(findings.resolvedAt)))
        .groupBy(findings.check, findings.severity)
        .all()
      return rows.map((row) => ({ ...row, severity: oneOf(severities, row.severity) }))
    },
    async *findings({ tenantIds, all = false, check, fingerprints }) {
      let after = 0
      for (;;) {
        const rows = orm
          .select({ finding: findings, tenant: tenants.name })
          .from(findings)
          .innerJoin(tenants, eq(tenants.id, findings.tenantId))
          .where(
            and(
              gt(findings.id, after),
              tenantIds === undefined ? undefined : inArray(findings.tenantId, [...tenantIds]),
              check === undefined ? undefined : eq(findings.check, check),
              fingerprints === undefined ? undefined : inArray(findings.fingerprint, [...fingerprints]),
              all ? undefined : isNull(findings.resolvedAt),
            ),
          )
          .orderBy(asc(findings.id))
          .limit(batchSize)
          .all()
        if (rows.length === 0) return
        yield rows.map(({ finding, tenant }) => toFinding(finding, tenant))
        after = rows.at(-1)?.finding.id ?? after
      }
    },
  }
}
