import type { CheckResult, StoredFinding } from '../../../src/store/port.ts'
import type { FakeMirror } from './fake-mirror.ts'

type Kept = Pick<FakeMirror, 'findings' | 'states' | 'events' | 'tenant' | 'digests'>

/** Writes a check result as the port documents. */
export function saveInto({ findings, states, events, tenant, digests }: Kept, at: number, result: CheckResult): void {
  const { check, status, reason, entities, notEvaluated, rule, changesAt, basis, open, problem } = result
  for (const { fingerprint, resolution } of result.resolved) {
    const row = findings.get(fingerprint)
    if (row === undefined) throw new Error(`There is no finding ${fingerprint}`)
    findings.set(fingerprint, { ...row, resolvedAt: at, lastSeenAt: at, resolution })
    events.push({ kind: 'resolved', fingerprint })
  }
  for (const { kind, digest, replacesOpen, ...finding } of result.written) {
    const { fingerprint } = finding
    const evidence = JSON.parse(finding.evidence)
    const rest = { tenant: tenant.name, check, lastSeenAt: at, resolvedAt: null, resolution: null, lapses: [] }
    if (replacesOpen) events.push({ kind: 'resolved', fingerprint })
    findings.set(fingerprint, { ...finding, ...rest, evidence })
    digests.set(fingerprint, digest)
    events.push({ kind: kind === 'replaced' ? 'opened' : kind, fingerprint })
  }
  const before = states.get(check)
  const since = before?.status === status && before.reason === reason ? before.since : at
  const validUntil = status === 'unknown' || changesAt === null ? null : changesAt - 1
  const times = { since, evaluatedAt: at, changesAt, validUntil }
  const known = { entities, notEvaluated, ...times, basis, rule, open, problem }
  states.set(check, { check, status, reason, ...known })
}

export function storedIn({ findings }: Pick<FakeMirror, 'findings'>, fingerprints: readonly string[]): StoredFinding[] {
  return fingerprints.flatMap((fingerprint) => {
    const row = findings.get(fingerprint)
    return row === undefined ? [] : [{ ...row, evidence: JSON.stringify(row.evidence) }]
  })
}
