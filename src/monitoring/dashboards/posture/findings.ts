import { neutral, noneIsBetter, noneIsGood, number, ofTenants, pageOf, type RowSpec, words } from '../panel.ts'

const severityWords = ['critical', 'high', 'medium', 'low', 'info'] as const

export function findings(): RowSpec {
  const all = `sum(${ofTenants('tenantwatch_findings')})`
  // 0 for a severity that no check can have; no value without a daemon, so that no green 0 appears.
  const bySeverity = severityWords.map((severity) =>
    number(
      `${severity[0]?.toUpperCase()}${severity.slice(1)}`,
      `Open findings of severity ${severity} that no waiver accepts.`,
      `sum(${ofTenants('tenantwatch_findings', `severity="${severity}"`)}) or ${all} * 0`,
      severity === 'critical' || severity === 'high' ? noneIsGood : noneIsBetter,
    ),
  )
  return {
    title: 'Findings',
    panels: [
      ...bySeverity,
      number(
        'Waived',
        'Open findings that a waiver accepts. They are counted separately, never as passing.',
        `sum(${ofTenants('tenantwatch_findings_waived')}) or ${all} * 0`,
        neutral,
      ),
      {
        title: 'Open findings by check',
        description:
          'One row per check, the most findings first. `tenantwatch findings --check ID` names the entities.',
        kind: 'table',
        queries: [{ expr: `sum by (tenant, check) (${ofTenants('tenantwatch_findings')})` }],
        unit: 'none',
        span: 12,
        columns: { tenant: 'Tenant', check: 'Check', Value: 'Open' },
        sort: { by: 'Open', descending: true },
        steps: noneIsBetter,
        link: pageOf('$' + '{__data.fields.Tenant}', '$' + '{__data.fields.Check}'),
      },
      {
        title: 'Findings by severity',
        description: 'Open findings that are not waived, over time. An outage resolves no finding.',
        kind: 'time',
        queries: [{ expr: `sum by (severity) (${ofTenants('tenantwatch_findings')})`, legend: '{{severity}}' }],
        unit: 'none',
        decimals: 0,
        span: 12,
        stacked: true,
      },
      {
        title: 'First findings of each check',
        description:
          'Up to ten findings of each check, the highest severity first. An id that may name a person or a file is left out; `tenantwatch explain FINGERPRINT` shows it. A tenant without open findings has one row, "none open".',
        kind: 'table',
        queries: [{ expr: byName() }],
        unit: 'none',
        span: 24,
        height: 10,
        columns: {
          Value: 'Severity',
          tenant: 'Tenant',
          check: 'Check',
          entity_type: 'Entity',
          entity_id: 'Id',
          fingerprint: 'Finding',
        },
        words: words({
          '0': ['none open', 'text'],
          '1': ['info', 'text'],
          '2': ['low', 'blue'],
          '3': ['medium', 'yellow'],
          '4': ['high', 'orange'],
          '5': ['critical', 'red'],
        }),
        steps: neutral,
        link: pageOf('$' + '{__data.fields.Tenant}', '$' + '{__data.fields.Check}'),
        sort: { by: 'Severity', descending: true },
      },
    ],
  }
}

/** One row per finding, whose value sorts and colors it. A tenant without findings has one row with 0, unlike a tenant without data. */
function byName(): string {
  const labels = 'tenant, check, entity_type, entity_id, fingerprint'
  const found = severityWords.map(
    (severity, index) =>
      `group by (${labels}) (${ofTenants('tenantwatch_finding_info', `severity="${severity}"`)}) * ${severityWords.length - index}`,
  )
  return [...found, `sum by (tenant) (${ofTenants('tenantwatch_findings')}) == 0`].join('\nor ')
}
