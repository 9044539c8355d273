import { colors, neutral, ofTenants, type RowSpec } from '../panel.ts'

export const documents: RowSpec = {
  title: 'Documents and waivers',
  panels: [
    {
      title: 'Documents by upload status',
      description: 'Documents in the mirror; an unknown status is counted as `other`.',
      kind: 'time',
      queries: [
        { expr: `sum by (upload_status) (${ofTenants('tenantwatch_documents')})`, legend: '{{upload_status}}' },
      ],
      unit: 'none',
      decimals: 0,
      span: 8,
      stacked: true,
      noValue: 'no documents read',
    },
    {
      title: 'Waivers by time left',
      description: 'When a waiver ends, its findings open again. Negative means ended.',
      kind: 'table',
      queries: [{ expr: `${ofTenants('tenantwatch_waiver_expiration_timestamp_seconds')} - time()` }],
      unit: 's',
      span: 8,
      columns: { tenant: 'Tenant', waiver: 'Waiver', check: 'Check', Value: 'Left' },
      sort: { by: 'Left', descending: false },
      steps: colors('red', [0, 'orange'], [14 * 86_400, 'green']),
      noValue: 'no waivers',
    },
    {
      title: 'Waivers by state',
      description:
        'Open findings that each waiver covers now. Lapsed: the accepted facts have changed. Orphaned: the waiver has nothing to cover.',
      kind: 'table',
      queries: [
        {
          expr: `max by (tenant, check, waiver) (${ofTenants('tenantwatch_waiver_findings')})\n* on (tenant, check, waiver) group_left (state) max by (tenant, check, waiver, state) (${ofTenants('tenantwatch_waiver_state')} == 1)`,
        },
      ],
      unit: 'none',
      span: 8,
      columns: { tenant: 'Tenant', waiver: 'Waiver', check: 'Check', state: 'State', Value: 'Covers' },
      sort: { by: 'State', descending: true },
      steps: neutral,
      noValue: 'no waivers',
    },
  ],
}
