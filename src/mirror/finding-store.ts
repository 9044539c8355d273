import { and, asc, eq, gt, inArray, isNull } from 'drizzle-orm'
import { resolutions } from '../model/check-status.ts'
import { severities } from '../model/severity.ts'
import type { Database } from './database.ts'
import { oneOf } from './one-of.ts'
import type { FindingRow, FindingStore } from './port.ts'
import { findings, tenants } from './schema/index.ts'
import type { VerdictStore } from './verdict-store.ts'

type Stored = typeof findings.$inferSelect

const batchSize = 500

function toFinding({ id: _, tenantId: __, ...row }: Stored, tenant: string): FindingRow {
  return {
    ...row,
    tenant,
    severity: oneOf(severities, row.severity),
    evidence: JSON.parse(row.evidence) as Record<string, unknown>,
    resolution: row.resolution === null ? null : oneOf(resolutions, row.resolution),
  }
}

/** Reads findings, as the committed verdicts have them. */
export function findingStore({ orm }: Database, verdicts: VerdictStore): Pick<FindingStore, 'findings'> {
  return {
    async *findings({ tenantIds, all = false, check, fingerprints }) {
      await verdicts.settle()
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
