import type { MonitoringInput } from '../../monitoring.ts'
import { colors, neutral, ofTenants, type PanelSpec, type RowSpec } from '../panel.ts'

export function secrets({ secretDays }: MonitoringInput): RowSpec {
  const days = secretDays[0]?.value ?? { near: 30, imminent: 7 }
  const left: PanelSpec['steps'] = colors('red', [days.imminent * 86_400, 'orange'], [days.near * 86_400, 'green'])
  const expiry = ofTenants('tenantwatch_api_client_secret_expiration_timestamp_seconds')
  return {
    title: 'Secrets',
    panels: [
      {
        title: 'Time left of every secret',
        description:
          'The next secret to expire comes first; negative means expired. An expired secret stays in the table.',
        kind: 'table',
        queries: [
          {
            expr: `(max by (tenant, client_id) (${expiry}) - time())\n* on (tenant, client_id) group_left (client_name, role) max by (tenant, client_id, client_name, role) (${ofTenants('tenantwatch_api_client_info')})`,
          },
        ],
        unit: 's',
        span: 16,
        columns: { tenant: 'Tenant', client_name: 'Client', role: 'Role', client_id: 'Client id', Value: 'Left' },
        sort: { by: 'Left', descending: false },
        steps: left,
        noValue: 'no API clients read',
      },
      {
        title: "The daemon's own secret",
        description: 'After its expiry, monitoring stops. Shown only if `ownClientId` is configured.',
        kind: 'stat',
        queries: [
          {
            expr: `${ofTenants('tenantwatch_own_client_secret_expiration_timestamp_seconds')} - time()`,
            legend: '{{tenant}}',
          },
        ],
        unit: 's',
        span: 4,
        height: 8,
        steps: left,
        noValue: 'ownClientId is not configured',
      },
      {
        title: 'Rotated in 30 days',
        description: 'Secrets whose expiry moved later, as counted by the daemon.',
        kind: 'stat',
        queries: [
          {
            expr: `sum by (tenant) (increase(${ofTenants('tenantwatch_secret_rotations_total')}[30d]))`,
            legend: '{{tenant}}',
          },
        ],
        unit: 'none',
        decimals: 0,
        span: 4,
        height: 8,
        steps: neutral,
      },
    ],
  }
}
