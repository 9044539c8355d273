import type { Resolution } from '../../../src/model/check-status.ts'
import type { CheckResult, CommittedResult, NewFinding } from '../../../src/store/port.ts'
import type { FakeMirror } from './fake-mirror.ts'

type Kept = Pick<FakeMirror, 'findings' | 'states' | 'events' | 'tenant'>

/** Writes a check result as one difference against what is stored. */
export async function commitInto(
  { findings, states, events, tenant }: Kept,
  checkResult: CheckResult,
): Promise<CommittedResult> {
  const { check, at, entities, rule } = checkResult
  const found: NewFinding[] = []
  for await (const batch of checkResult.failing) found.push(...batch)
  const { status, reason } = checkResult.decide(found.length)
  const failing = new Set(found.map(({ fingerprint }) => fingerprint))
  const resolved: Partial<Record<Resolution, number>> = {}
  for (const row of [...findings.values()]) {
    if (row.check !== check || row.resolvedAt !== null || failing.has(row.fingerprint)) continue
    const resolution = await checkResult.resolve(row)
    if (resolution === null) continue
    findings.set(row.fingerprint, { ...row, resolvedAt: at, lastSeenAt: at, resolution })
    events.push({ kind: 'resolved', fingerprint: row.fingerprint })
    resolved[resolution] = (resolved[resolution] ?? 0) + 1
  }
  let opened = 0
  for (const finding of found) {
    const known = findings.get(finding.fingerprint)
    const present = { tenant: tenant.name, check, ...finding, lastSeenAt: at, resolvedAt: null, resolution: null }
    if (known === undefined || known.resolvedAt !== null) {
      opened++
      const reopened = known === undefined ? 0 : known.reopened + 1
      findings.set(finding.fingerprint, { ...present, firstSeenAt: known?.firstSeenAt ?? at, reopened })
      events.push({ kind: known === undefined ? 'opened' : 'reopened', fingerprint: finding.fingerprint })
      continue
    }
    const { severity, message, evidence } = finding
    const was = [known.severity, known.message, known.evidence]
    if (JSON.stringify(was) === JSON.stringify([severity, message, evidence])) continue
    findings.set(finding.fingerprint, { ...known, ...present })
    events.push({ kind: 'changed', fingerprint: finding.fingerprint })
  }
  const before = states.get(check)
  const since = before?.status === status && before.reason === reason ? before.since : at
  const open: Record<string, number> = {}
  for (const row of findings.values())
    if (row.check === check && row.resolvedAt === null) open[row.severity] = (open[row.severity] ?? 0) + 1
  const notEvaluated = checkResult.notEvaluated ?? null
  const validUntil = (status !== 'unknown' ? await checkResult.validUntil?.() : null) ?? null
  states.set(check, { check, status, reason, entities, notEvaluated, since, evaluatedAt: at, validUntil, rule, open })
  return { status, reason, opened, resolved }
}
