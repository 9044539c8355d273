import { severities } from '../model/severity.ts'
import type { ReportFinding } from './report.ts'

const most = 500

export interface TopFindings {
  readonly shown: readonly ReportFinding[]
  readonly total: number
}

/** The most severe findings, waived ones last, at most 500; however many there are, no more than twice that is in memory. */
export async function mostSevere(findings: AsyncIterable<ReportFinding>): Promise<TopFindings> {
  let kept: ReportFinding[] = []
  let total = 0
  for await (const finding of findings) {
    total++
    kept.push(finding)
    if (kept.length >= 2 * most) kept = kept.sort(byGravity).slice(0, most)
  }
  return { shown: kept.sort(byGravity).slice(0, most), total }
}

function byGravity(a: ReportFinding, b: ReportFinding): number {
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

/** By code unit: the same on every machine. */
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
