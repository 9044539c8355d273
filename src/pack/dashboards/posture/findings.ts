import { neutral, noneIsBetter, noneIsGood, ofTenants, type PanelSpec, type RowSpec } from '../panel.ts'

const severityWords = ['critical', 'high', 'medium', 'low', 'info'] as const

/** Open findings, by severity and by check. */
export function findings(): RowSpec {
  const all = `sum(${ofTenants('tenantwatch_findings')})`
  const bySeverity = severityWords.map(
    (severity): PanelSpec => ({
      title: `${severity[0]?.toUpperCase()}${severity.slice(1)}`,
      description: `Open findings of severity ${severity} that no waiver accepts.`,
      kind: 'stat',
      // A severity that no check can have is 0; with no daemon to tell there is no number, least of all a green 0.
      queries: [{ expr: `sum(${ofTenants('tenantwatch_findings', `severity="${severity}"`)}) or ${all} * 0` }],
      unit: 'none',
      span: 4,
      steps: severity === 'critical' || severity === 'high' ? noneIsGood : noneIsBetter,
    }),
  )
  return {
    title: 'What is wrong',
    panels: [
      ...bySeverity,
      {
        title: 'Waived',
        description: 'Open findings that a waiver accepts: counted apart, never as passing.',
        kind: 'stat',
        queries: [{ expr: `sum(${ofTenants('tenantwatch_findings_waived')})` }],
        unit: 'none',
        span: 4,
        steps: neutral,
      },
      {
        title: 'Open findings by check',
        description: 'A row a check, the most findings first. `tenantwatch findings --check ID` names the entities.',
        kind: 'table',
        queries: [{ expr: `sum by (tenant, check) (${ofTenants('tenantwatch_findings')})` }],
        unit: 'none',
        span: 12,
        columns: { tenant: 'Tenant', check: 'Check', Value: 'Open' },
        sort: { by: 'Open', descending: true },
        steps: noneIsBetter,
      },
      {
        title: 'Findings by severity',
        description: 'Open and not waived, over time. An outage resolves none.',
        kind: 'time',
        queries: [{ expr: `sum by (severity) (${ofTenants('tenantwatch_findings')})`, legend: '{{severity}}' }],
        unit: 'none',
        decimals: 0,
        span: 12,
        stacked: true,
      },
    ],
  }
}
