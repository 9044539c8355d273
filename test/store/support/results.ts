import { findingDigest } from '../../../src/evaluate/check-tally.ts'
import type { Resolution } from '../../../src/model/check-status.ts'
import type { SeverityCounts } from '../../../src/model/severity.ts'
import type { CheckResult, FindingRow, Mirror, OpenFindingDigest, WrittenFinding } from '../../../src/store/port.ts'

/** A check over users. */
export const check = 'user-mfa-enrolled'

export type FailingEntity = Pick<
  FindingRow,
  'fingerprint' | 'entityType' | 'entityId' | 'severity' | 'message' | 'evidence'
>

export interface TestResult {
  readonly tenantId: number
  readonly check: string
  readonly at: number
  readonly entities: number
  readonly notEvaluated: number | null
  readonly rule: string
  readonly problem: string | null
  readonly failing: Iterable<readonly FailingEntity[]>
  /** Resolution of an open finding that is not among `failing`; null keeps it open. */
  readonly resolve: (finding: OpenFindingDigest) => Resolution | null
}

export function findingOf(id: number | string, more: Partial<FailingEntity> = {}): FailingEntity {
  return {
    fingerprint: `f${id}`,
    entityType: 'user',
    entityId: String(id),
    severity: 'high',
    message: `User ${id} fails.`,
    evidence: { id },
    ...more,
  }
}

/** Fails while there is a finding; a finding that is gone ends as fixed. */
export function resultOf(
  tenantId: number,
  at: number,
  failing: TestResult['failing'],
  more: Partial<TestResult> = {},
): TestResult {
  const nothing = { notEvaluated: null, problem: null }
  return { tenantId, check, at, entities: 9, ...nothing, rule: 'r', failing, resolve: () => 'fixed', ...more }
}

/** The result as the evaluation makes it of what is stored. */
export async function checkResultOf(mirror: Mirror, test: TestResult): Promise<CheckResult> {
  const { tenantId, check, entities, notEvaluated, rule, problem, resolve } = test
  const failing = [...test.failing].flat()
  const before = (await Array.fromAsync(mirror.openDigests(tenantId, check))).flat()
  const known = new Map(before.map((row) => [row.fingerprint, row.digest]))
  const stored = await mirror.storedFindings(failing.map(({ fingerprint }) => fingerprint))
  const byFingerprint = new Map(stored.map((row) => [row.fingerprint, row]))
  const open: SeverityCounts = {}
  const written: WrittenFinding[] = []
  for (const { evidence: facts, ...finding } of failing) {
    open[finding.severity] = (open[finding.severity] ?? 0) + 1
    const evidence = JSON.stringify(facts)
    const digest = findingDigest(finding.severity, finding.message, evidence)
    if (known.get(finding.fingerprint) === digest) continue
    const { firstSeenAt = test.at, resolvedAt = null, reopened = 0 } = byFingerprint.get(finding.fingerprint) ?? {}
    const kind = !byFingerprint.has(finding.fingerprint) ? 'opened' : resolvedAt === null ? 'changed' : 'reopened'
    const times = kind === 'reopened' ? reopened + 1 : reopened
    written.push({ ...finding, evidence, digest, kind, firstSeenAt, reopened: times, replacesOpen: false })
  }
  const failingNow = new Set(failing.map(({ fingerprint }) => fingerprint))
  const resolved = before.flatMap((row) => {
    if (failingNow.has(row.fingerprint)) return []
    const resolution = resolve(row)
    if (resolution !== null) return [{ fingerprint: row.fingerprint, severity: row.severity, resolution }]
    open[row.severity] = (open[row.severity] ?? 0) + 1
    return []
  })
  const status = failing.length > 0 ? 'fail' : 'pass'
  const counts = { entities, notEvaluated, rule, changesAt: null, basis: null, open }
  return { check, status, reason: null, ...counts, written, resolved, lapsed: [], problem }
}

export async function commitResult(mirror: Mirror, test: TestResult): Promise<CheckResult> {
  const result = await checkResultOf(mirror, test)
  await mirror.saveResults(test.tenantId, test.at, { results: [result] })
  return result
}
