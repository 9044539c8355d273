import type { MonitoringInput } from '../monitoring.ts'
import { type DashboardSpec, ofTenants } from './panel.ts'
import { quality } from './posture/data-quality.ts'
import { documents } from './posture/documents.ts'
import { findings } from './posture/findings.ts'
import { people } from './posture/people.ts'
import { secrets } from './posture/secrets.ts'

/** Data quality first, then findings, then expiring secrets. */
export function posture(input: MonitoringInput): DashboardSpec {
  return {
    title: 'tenantwatch: posture',
    description: 'Data quality, findings and expiring secrets of each tenant.',
    from: 'now-7d',
    annotations: [
      {
        name: 'Secret rotated',
        expr: `increase(${ofTenants('tenantwatch_secret_rotations_total')}[5m]) > 0`,
        title: 'Secret rotated in {{tenant}}',
        color: 'blue',
      },
      {
        name: 'Drift',
        expr: `increase(${ofTenants('tenantwatch_findings_opened_total', 'check=~".+-unchanged"')}[5m]) > 0`,
        title: '{{check}} of {{tenant}}',
        color: 'red',
      },
    ],
    rows: [quality(input), findings(), secrets(input), people, documents],
  }
}
