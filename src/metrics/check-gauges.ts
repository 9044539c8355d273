import { checkStatuses } from '../model/check-status.ts'
import type { TenantPosture } from '../model/posture.ts'
import { severities } from '../model/severity.ts'
import type { AddSeries } from './family.ts'
import { fromMirror, type PostureGauge, timestampSeconds } from './posture-gauge.ts'

export const checkGauges: readonly PostureGauge[] = [
  {
    name: 'tenantwatch_check_enabled',
    help: `1 when the check is enabled in the configuration. ${fromMirror}`,
    labelNames: ['check'],
    each({ checks }, add) {
      for (const { check, enabled } of checks) add(Number(enabled), check)
    },
  },
  {
    name: 'tenantwatch_check_entities',
    help: `Entities in the scope of the check at its last evaluation, including those that could not be evaluated: the denominator of its findings. Absent when the last evaluation was impossible, as before the first complete full sync. ${fromMirror}`,
    labelNames: ['check'],
    each({ checks }, add) {
      for (const { check, entities } of checks) if (entities !== null) add(entities, check)
    },
  },
  {
    name: 'tenantwatch_check_status',
    help: `State set of the check: 1 for its present status, 0 for the others, and 0 for all while the check is disabled. The age of its inputs is applied at each scrape. ${fromMirror}`,
    labelNames: ['check', 'status'],
    each({ checks }, add) {
      for (const { check, enabled, status: present } of checks)
        for (const status of checkStatuses) add(Number(enabled && status === present), check, status)
    },
  },
  {
    name: 'tenantwatch_check_threshold_seconds',
    help: 'Time left, in seconds, from which the shipped rules alert on findings of the severity. Read from the configuration.',
    labelNames: ['check', 'severity'],
    each(_posture, add, { thresholds }) {
      for (const { check, severity, seconds } of thresholds) add(seconds, check, severity)
    },
  },
  {
    name: 'tenantwatch_check_unknown_reason',
    help: `1 for the reason why the status of the check is unknown; absent otherwise. ${fromMirror}`,
    labelNames: ['check', 'reason'],
    each({ checks }, add) {
      for (const { check, reason } of checks) if (reason !== null) add(1, check, reason)
    },
  },
  {
    name: 'tenantwatch_evaluation_freshness_limit_seconds',
    help: 'Age of the last evaluation, in seconds, beyond which its results no longer count. Read from the configuration.',
    labelNames: [],
    each(_posture, add, { evaluationLimitSeconds }) {
      add(evaluationLimitSeconds)
    },
  },
  {
    name: 'tenantwatch_evaluation_last_timestamp_seconds',
    help: `Earliest of the last evaluations of the enabled checks of the tenant, in seconds since the epoch: it stops even if only one check is no longer evaluated; 0 = a check was never evaluated. Absent while no check is enabled. ${fromMirror}`,
    labelNames: [],
    each({ checks }, add) {
      const times = checks.filter(({ enabled }) => enabled).map(({ evaluatedAt }) => timestampSeconds(evaluatedAt))
      if (times.length > 0) add(Math.min(...times))
    },
  },
  {
    name: 'tenantwatch_findings',
    help: `Open findings without waived ones. An outage resolves no finding, so compare with tenantwatch_check_status. ${fromMirror}`,
    labelNames: ['check', 'severity'],
    each: countFindings,
  },
  {
    name: 'tenantwatch_findings_waived',
    help: `Open findings that a valid waiver covers; absent where there are none. ${fromMirror}`,
    labelNames: ['check', 'severity'],
    each({ checks }, add) {
      for (const { check, waived } of checks)
        for (const [severity, count] of Object.entries(waived)) if (count > 0) add(count, check, severity)
    },
  },
]

function countFindings({ checks }: TenantPosture, add: AddSeries): void {
  for (const { check, severities: possible, open } of checks) {
    for (const severity of severities) {
      const count = open[severity]
      if (count !== undefined || possible.includes(severity)) add(count ?? 0, check, severity)
    }
  }
}
