import type { MonitoringInput } from '../monitoring.ts'
import { type DashboardSpec, ofTenants } from './panel.ts'
import { documents } from './posture/documents.ts'
import { findings } from './posture/findings.ts'
import { people } from './posture/people.ts'
import { secrets } from './posture/secrets.ts'
import { quality } from './posture/trust.ts'

/** Trust first, then what is wrong, then what runs out. */
export function posture(input: MonitoringInput): DashboardSpec {
  return {
    title: 'tenantwatch: posture',
    description: 'Whether the watch can be believed, what is wrong in each tenant, and what runs out next.',
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
