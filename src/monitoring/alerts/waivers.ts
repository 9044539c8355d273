import type { Alert, AlertGroup } from '../alert.ts'
import { bridged } from '../promql.ts'

const labels = 'tenant, check, waiver'

const alerts: readonly Alert[] = [
  {
    name: 'TenantwatchWaiverEnds',
    summary:
      'Waiver {{ $labels.waiver }} of {{ $labels.tenant }} {{ if gt $value 0.0 }}ends in {{ $value | humanizeDuration }}{{ else }}has ended{{ end }}',
    description:
      'From then on what waiver {{ $labels.waiver }} accepted of {{ $labels.check }} in {{ $labels.tenant }} is open again: fix it, accept it again, or take the waiver out.',
    dashboard: 'posture',
    cases: () => [
      {
        severity: 'info',
        // It goes on after the end: what is open again must not look resolved.
        expr: bridged(
          labels,
          (read) => `${read('tenantwatch_waiver_expiration_timestamp_seconds')} - time() < 14 * 86400`,
        ),
      },
    ],
  },
  {
    name: 'TenantwatchWaiverLapsed',
    summary: 'Waiver {{ $labels.waiver }} of {{ $labels.tenant }} no longer accepts {{ $value }} of its findings',
    description:
      'What waiver {{ $labels.waiver }} accepted of {{ $labels.check }} in {{ $labels.tenant }} has changed, so these findings are open again: look at them, then fix them or renew the waiver.',
    dashboard: 'posture',
    cases: () => [
      { severity: 'warning', expr: bridged(labels, (read) => `${read('tenantwatch_waiver_lapsed_findings')} != 0`) },
    ],
  },
  {
    name: 'TenantwatchWaiverOrphaned',
    summary: 'Waiver {{ $labels.waiver }} of {{ $labels.tenant }} accepts nothing: there is nothing for it to cover',
    description:
      'Check {{ $labels.check }} of {{ $labels.tenant }} is off, or there is no such entity. Were it to come, waiver {{ $labels.waiver }} would hide its finding.',
    dashboard: 'posture',
    cases: () => [
      {
        severity: 'info',
        for: '1h',
        expr: bridged(labels, (read) => `${read('tenantwatch_waiver_state{state="orphaned"}')} != 0`),
      },
    ],
  },
]

export const waiverAlerts: AlertGroup = {
  name: 'tenantwatch-waivers',
  why: 'What was accepted and no longer is, or soon will not be.',
  alerts: () => alerts,
}
