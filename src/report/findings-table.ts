import { driftIdIn, type FindingView } from '../model/finding.ts'
import type { TenantPosture } from '../model/posture.ts'
import { severities } from '../model/severity.ts'
import { printable } from '../model/text/printable.ts'
import { table } from './formats.ts'

export const noOpenFindings = 'No open findings.'

/** Findings as text, the highest severity first. */
export function findingsTable(found: readonly FindingView[], most = found.length): string {
  if (found.length === 0) return noOpenFindings
  const rank = (finding: FindingView) => severities.indexOf(finding.severity)
  const sorted = found.toSorted((a, b) => rank(b) - rank(a) || a.check.localeCompare(b.check))
  const rows = sorted
    .slice(0, most)
    .map(
      ({ severity, state, resolution, tenant, check, entity, message, firstSeen, fingerprint, waiver, evidence }) => [
        severity.toUpperCase(),
        stateOf(state, resolution),
        tenant,
        check,
        entity.id,
        waiver?.explanation ? `${message} (${waiver.explanation})` : message,
        firstSeen.slice(0, 16).replace('T', ' '),
        driftIdIn({ evidence }) ?? fingerprint.slice(0, 12),
      ],
    )
  return table(['SEVERITY', '', 'TENANT', 'CHECK', 'ENTITY', 'WHY', 'SINCE (UTC)', 'FINGERPRINT'], rows)
}

function stateOf(state: FindingView['state'], resolution: FindingView['resolution']): string {
  if (state === 'open') return ''
  return resolution === null ? state : `${state} (${resolution})`
}

/** One line per tenant with its unknown checks, so that an empty list does not look like a pass. */
export function unevaluatedLines(postures: readonly TenantPosture[]): readonly string[] {
  return postures.flatMap(({ tenant, checks }) => {
    const unknown = checks.filter(({ enabled, status }) => enabled && status === 'unknown')
    if (unknown.length === 0) return []
    const named = unknown.map(({ check, reason }) => `${check} (${reason ?? 'never'})`)
    const problems = unknown.flatMap(({ check, problem }) =>
      problem === undefined ? [] : [`  ${check}: ${printable(problem)}`],
    )
    return [
      `${tenant}: ${unknown.length} of ${checks.length} checks cannot be evaluated: ${named.join(', ')}`,
      ...problems,
    ]
  })
}
