import { checkStatuses } from '../model/check-status.ts'
import { type WaiverView, waiverStates } from '../model/posture.ts'
import { presentStatus, unknownReason } from '../model/posture-state.ts'
import { severities } from '../model/severity.ts'
import { type AddSeries, fromMirror, labelText, timestampSeconds } from './family.ts'
import type { TenantFacts, TenantGauge } from './tenant-facts.ts'

export const checkGauges: readonly TenantGauge[] = [
  {
    name: 'tenantwatch_check_enabled',
    help: `1 when the check is enabled in the configuration. ${fromMirror}`,
    labelNames: ['check'],
    each({ posture: { checks } }, add) {
      for (const { check, enabled } of checks) add(Number(enabled), check)
    },
  },
  {
    name: 'tenantwatch_check_entities',
    help: `Entities in the scope of the check at its last evaluation, including those that could not be evaluated: the denominator of its findings. Absent when the last evaluation was impossible, as before the first complete full sync. ${fromMirror}`,
    labelNames: ['check'],
    each({ posture: { checks } }, add) {
      for (const { check, entities } of checks) if (entities !== null) add(entities, check)
    },
  },
  {
    name: 'tenantwatch_check_status',
    help: `State set of the check: 1 for its present status, 0 for the others, and 0 for all while the check is disabled. The age of its inputs is applied at each scrape. ${fromMirror}`,
    labelNames: ['check', 'status'],
    each({ posture: { checks } }, add) {
      for (const view of checks) {
        const present = presentStatus(view)
        for (const status of checkStatuses) add(Number(view.enabled && status === present), view.check, status)
      }
    },
  },
  {
    name: 'tenantwatch_check_threshold_seconds',
    help: 'Time left, in seconds, from which the shipped rules alert on findings of the severity. Read from the configuration.',
    labelNames: ['check', 'severity'],
    each({ config: { thresholds } }, add) {
      for (const { check, severity, seconds } of thresholds) add(seconds, check, severity)
    },
  },
  {
    name: 'tenantwatch_check_unknown_reason',
    help: `1 for the reason why the status of the check is unknown; absent otherwise. ${fromMirror}`,
    labelNames: ['check', 'reason'],
    each({ posture: { checks } }, add) {
      for (const view of checks) {
        const reason = unknownReason(view)
        if (reason !== null) add(1, view.check, reason)
      }
    },
  },
  {
    name: 'tenantwatch_evaluation_freshness_limit_seconds',
    help: 'Age of the last evaluation, in seconds, beyond which its results no longer count. Read from the configuration.',
    labelNames: [],
    each({ config: { evaluationLimitSeconds } }, add) {
      add(evaluationLimitSeconds)
    },
  },
  {
    name: 'tenantwatch_evaluation_last_timestamp_seconds',
    help: `Earliest of the last evaluations of the enabled checks of the tenant, in seconds since the epoch: it stops even if only one check is no longer evaluated; 0 = a check was never evaluated. Absent while no check is enabled. ${fromMirror}`,
    labelNames: [],
    each({ posture: { checks } }, add) {
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
    each({ posture: { checks } }, add) {
      for (const { check, waived } of checks)
        for (const [severity, count] of Object.entries(waived)) if (count > 0) add(count, check, severity)
    },
  },
  {
    name: 'tenantwatch_finding_info',
    help: `1 for each of the first 10 open, unwaived findings of a check, by severity, then by first seen. entity_id is empty if the id may be a name; pass the fingerprint to tenantwatch explain. ${fromMirror}`,
    labelNames: ['check', 'severity', 'entity_type', 'entity_id', 'fingerprint', 'owner'],
    each({ findings }, add) {
      for (const { check, severity, entityType, entityId, fingerprint, owner } of findings)
        add(1, check, severity, labelText(entityType), entityId, fingerprint, labelText(owner))
    },
  },
  {
    name: 'tenantwatch_waiver_expiration_timestamp_seconds',
    help: 'Last instant at which the waiver is valid, in seconds since the epoch. Read from the configuration.',
    labelNames: ['check', 'waiver'],
    each: (facts, add) => eachWaiver(facts, ({ expiresAt }, ...labels) => add(timestampSeconds(expiresAt), ...labels)),
  },
  {
    name: 'tenantwatch_waiver_findings',
    help: `Open findings that the waiver covers; a finding that two waivers cover counts for both. ${fromMirror}`,
    labelNames: ['check', 'waiver'],
    each: (facts, add) => eachWaiver(facts, ({ covered }, ...labels) => add(covered, ...labels)),
  },
  {
    name: 'tenantwatch_waiver_lapsed_findings',
    help: `Open findings that the waiver no longer covers because the accepted facts changed, and that no other waiver covers. ${fromMirror}`,
    labelNames: ['check', 'waiver'],
    each: (facts, add) => eachWaiver(facts, ({ lapsed }, ...labels) => add(lapsed, ...labels)),
  },
  {
    name: 'tenantwatch_waiver_state',
    help: `State set of the waiver: 1 for its present state, 0 for the others; lapsed = the accepted facts changed, orphaned = the check is disabled or the entity does not exist. ${fromMirror}`,
    labelNames: ['check', 'waiver', 'state'],
    each: (facts, add) =>
      eachWaiver(facts, (waiver, ...labels) => {
        for (const state of waiverStates) add(Number(waiver.state === state), ...labels, state)
      }),
  },
]

function countFindings({ posture: { checks } }: TenantFacts, add: AddSeries): void {
  for (const { check, severities: possible, open } of checks) {
    for (const severity of severities) {
      const count = open[severity]
      if (count !== undefined || possible.includes(severity)) add(count ?? 0, check, severity)
    }
  }
}

function eachWaiver(
  { posture: { waivers } }: TenantFacts,
  take: (waiver: WaiverView, check: string, waiverLabel: string) => void,
): void {
  for (const waiver of waivers) take(waiver, labelText(waiver.check), labelText(waiver.id))
}
