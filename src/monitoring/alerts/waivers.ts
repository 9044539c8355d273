import type { Alert, AlertGroup } from '../alert.ts'
import { valueCount } from '../counted.ts'
import { daysUntil, inDays } from '../days-left.ts'
import { bridged } from '../promql.ts'

const labels = 'tenant, check, waiver'

const alerts: readonly Alert[] = [
  {
    name: 'TenantwatchWaiverEnds',
    summary: `{{ $labels.tenant }}: waiver {{ $labels.waiver }} {{ if gt $value 0.0 }}ends ${inDays}{{ else }}has ended{{ end }}`,
    description:
      'When waiver {{ $labels.waiver }} ends, the findings of {{ $labels.check }} in {{ $labels.tenant }} that it accepts are open again: fix them, renew the waiver, or remove it.',
    dashboard: 'posture',
    part: 'waivers',
    cases: () => [
      {
        severity: 'info',
        // The alert continues after the end: findings that are open again must not look resolved.
        expr: bridged(labels, (read) => `${daysUntil(read('tenantwatch_waiver_expiration_timestamp_seconds'))} < 14`),
      },
    ],
  },
  {
    name: 'TenantwatchWaiverLapsed',
    summary: `{{ $labels.tenant }}: waiver {{ $labels.waiver }} no longer accepts ${valueCount} of its findings`,
    description:
      'The findings of {{ $labels.check }} in {{ $labels.tenant }} that waiver {{ $labels.waiver }} accepted have changed and are open again: review them, then fix them or renew the waiver.',
    dashboard: 'posture',
    part: 'waivers',
    cases: () => [
      { severity: 'warning', expr: bridged(labels, (read) => `${read('tenantwatch_waiver_lapsed_findings')} != 0`) },
    ],
  },
  {
    name: 'TenantwatchWaiverOrphaned',
    summary: '{{ $labels.tenant }}: waiver {{ $labels.waiver }} has nothing to cover',
    description:
      'Check {{ $labels.check }} of {{ $labels.tenant }} is off, or the entity does not exist. If the entity appears later, waiver {{ $labels.waiver }} hides its finding: remove the waiver, or correct its entity.',
    dashboard: 'posture',
    part: 'waivers',
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
  why: 'Waivers that ended, lapsed, have nothing to cover, or end soon.',
  alerts: () => alerts,
}
