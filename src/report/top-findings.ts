import { severities } from '../model/severity.ts'
import type { ReportFinding } from './report.ts'

const most = 500

export interface TopFindings {
  readonly shown: readonly ReportFinding[]
  readonly total: number
}

/** The 500 most severe findings, waived ones last. At most 1,000 are in memory at a time. */
export async function mostSevere(findings: AsyncIterable<ReportFinding>): Promise<TopFindings> {
  let kept: ReportFinding[] = []
  let total = 0
  for await (const finding of findings) {
    total++
    kept.push(finding)
    if (kept.length >= 2 * most) kept = kept.sort(bySeverity).slice(0, most)
  }
  return { shown: kept.sort(bySeverity).slice(0, most), total }
}

function bySeverity(a: ReportFinding, b: ReportFinding): number {
  const waived = Number(a.state === 'waived') - Number(b.state === 'waived')
  const severity = severities.indexOf(b.severity) - severities.indexOf(a.severity)
  return (
    waived ||
    severity ||
    order(a.check, b.check) ||
    order(a.firstSeen, b.firstSeen) ||
    order(a.fingerprint, b.fingerprint)
  )
}

/** By code unit, independent of the locale. */
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
