import { ofTenants, type RowSpec } from '../panel.ts'

/** Documents, and what was accepted for a time. */
export const documents: RowSpec = {
  title: 'Documents and waivers',
  panels: [
    {
      title: 'Documents by upload status',
      description: 'Documents in the mirror; a status the daemon does not know is `other`.',
      kind: 'time',
      queries: [
        { expr: `sum by (upload_status) (${ofTenants('tenantwatch_documents')})`, legend: '{{upload_status}}' },
      ],
      unit: 'none',
      decimals: 0,
      span: 12,
      stacked: true,
      noValue: 'no documents read',
    },
    {
      title: 'Waivers by time left',
      description: 'When a waiver ends, its findings are back. Negative is over.',
      kind: 'table',
      queries: [{ expr: `${ofTenants('tenantwatch_waiver_expiration_timestamp_seconds')} - time()` }],
      unit: 's',
      span: 12,
      columns: { tenant: 'Tenant', waiver: 'Waiver', check: 'Check', Value: 'Left' },
      sort: { by: 'Left', descending: false },
      steps: [
        { from: null, color: 'red' },
        { from: 0, color: 'orange' },
        { from: 14 * 86_400, color: 'green' },
      ],
      noValue: 'no waivers',
    },
  ],
}
