import type { TenantPosture } from '../model/posture.ts'
import { severities } from '../model/severity.ts'
import { printable } from '../model/text/printable.ts'
import type { RunResult } from '../sync/observer.ts'
import { table } from './table.ts'

/** The result of a sync round as text: runs, checks, holds, failures. */
export function syncSummary(results: readonly RunResult[], postures: readonly TenantPosture[]): string {
  const runs = results.map(({ tenant, resource, mode, outcome, reason, counts, durationMs }) => [
    tenant,
    resource,
    mode,
    outcome === 'failure' ? (reason ?? 'internal') : outcome === 'skipped' ? 'skipped' : 'ok',
    `+${counts.created} ~${counts.updated} -${counts.removed} =${counts.unchanged}`,
    counts.quarantined === 0 ? '' : `${counts.quarantined} quarantined`,
    `${(durationMs / 1000).toFixed(1)} s`,
  ])
  const heading = ['TENANT', 'RESOURCE', 'MODE', 'RESULT', 'RECORDS', '', 'TIME']
  return [table(heading, runs), '', ...postures.map(checkLine), ...holdLines(postures), ...failures(results)].join('\n')
}

function checkLine({ tenant, checks }: TenantPosture): string {
  const count = (status: string) => checks.filter((check) => check.enabled && check.status === status).length
  const open = severities
    .toReversed()
    .map((severity) => [severity, checks.reduce((sum, check) => sum + (check.open[severity] ?? 0), 0)] as const)
    .filter(([, sum]) => sum > 0)
    .map(([severity, sum]) => `${sum} ${severity}`)
  const statuses = `${count('pass')} pass, ${count('fail')} fail, ${count('unknown')} unknown, ${count('not_applicable')} not applicable`
  return `${tenant}: checks ${statuses}; open findings: ${open.length === 0 ? 'none' : open.join(', ')}`
}

function holdLines(postures: readonly TenantPosture[]): string[] {
  return postures.flatMap(({ tenant, holds }) =>
    holds.map(({ id, resource, message }) =>
      printable(`${tenant} ${resource}: on hold ${id}: ${message}; see "tenantwatch accept"`),
    ),
  )
}

function failures(results: readonly RunResult[]): string[] {
  const failed = results.filter(({ outcome }) => outcome === 'failure')
  const lines = failed.map(({ tenant, resource, message, hint }) =>
    printable(`${tenant} ${resource}: ${message ?? ''}${hint === null ? '' : `. ${hint}`}`),
  )
  return lines.length === 0 ? [] : ['', ...lines]
}
