import { checkStatuses } from '../model/check-status.ts'
import type { TenantPosture } from '../model/posture.ts'
import type { Severity } from '../model/severity.ts'
import type { Sample } from './family.ts'
import { fromMirror, type PostureGauge, timestampSeconds } from './posture-gauge.ts'

export const checkGauges: readonly PostureGauge[] = [
  {
    name: 'tenantwatch_check_enabled',
    help: `1 when the check is enabled in the configuration. ${fromMirror}`,
    labelNames: ['check'],
    samples: (posture) => posture.checks.map(({ check, enabled }) => ({ labels: { check }, value: Number(enabled) })),
  },
  {
    name: 'tenantwatch_check_entities',
    help: `Entities in the scope of the check at its last evaluation, including those that could not be evaluated: the denominator of its findings. Absent when the last evaluation was impossible, as before the first complete full sync. ${fromMirror}`,
    labelNames: ['check'],
    samples: (posture) =>
      posture.checks.flatMap(({ check, entities }) =>
        entities === null ? [] : [{ labels: { check }, value: entities }],
      ),
  },
  {
    name: 'tenantwatch_check_status',
    help: `State set of the check: 1 for its present status, 0 for the others, and 0 for all while the check is disabled. The age of its inputs is applied at each scrape. ${fromMirror}`,
    labelNames: ['check', 'status'],
    samples: (posture) =>
      posture.checks.flatMap(({ check, enabled, status: present }) =>
        checkStatuses.map((status) => ({ labels: { check, status }, value: Number(enabled && status === present) })),
      ),
  },
  {
    name: 'tenantwatch_check_unknown_reason',
    help: `1 for the reason why the status of the check is unknown; absent otherwise. ${fromMirror}`,
    labelNames: ['check', 'reason'],
    samples: (posture) =>
      posture.checks.flatMap(({ check, reason }) => (reason === null ? [] : [{ labels: { check, reason }, value: 1 }])),
  },
  {
    name: 'tenantwatch_evaluation_last_timestamp_seconds',
    help: `When the enabled checks of the tenant were last evaluated: the earliest of their last evaluations, in seconds since the epoch, so that one check that is left out shows; 0 = one was never evaluated. Absent while no check is enabled. ${fromMirror}`,
    labelNames: [],
    samples({ checks }) {
      const times = checks.filter(({ enabled }) => enabled).map(({ evaluatedAt }) => timestampSeconds(evaluatedAt))
      return times.length === 0 ? [] : [{ labels: {}, value: Math.min(...times) }]
    },
  },
  {
    name: 'tenantwatch_findings',
    help: `Open findings without waived ones. An outage resolves no finding, so compare with tenantwatch_check_status. ${fromMirror}`,
    labelNames: ['check', 'severity'],
    samples: countFindings,
  },
  {
    name: 'tenantwatch_findings_waived',
    help: `Open findings that a valid waiver covers; absent where there are none. ${fromMirror}`,
    labelNames: ['check', 'severity'],
    samples: (posture) =>
      posture.checks.flatMap(({ check, waived }) =>
        Object.entries(waived)
          .filter(([, count]) => count > 0)
          .map(([severity, value]) => ({ labels: { check, severity }, value })),
      ),
  },
]

function countFindings(posture: TenantPosture): Sample[] {
  return posture.checks.flatMap(({ check, severities, open }) => {
    const present = Object.keys(open) as Severity[]
    const initialized = new Set<Severity>([...severities, ...present])
    return [...initialized].map((severity) => ({ labels: { check, severity }, value: open[severity] ?? 0 }))
  })
}
