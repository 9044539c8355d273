import type { CheckFacts } from '../../evaluate/check.ts'
import type { FindingView } from '../../model/finding.ts'
import { activities, type Caption, complianceStatuses, findingStatuses, severityCaptions } from './captions.ts'
import { standardsOf } from './standards.ts'

/** Schema that the events are written to (https://schema.ocsf.io/1.5.0/classes/compliance_finding). */
export const ocsfVersion = '1.5.0'

const category = { category_uid: 2, category_name: 'Findings' } as const
const classUid = 2003
const className = 'Compliance Finding'
const rule: Caption = { id: 1, caption: 'Rule' }

export interface OcsfSource {
  /** Version of this program. */
  readonly version: string
  /** What is known of a check; undefined where this version does not know it. */
  readonly check: (id: string) => Pick<CheckFacts, 'title' | 'description' | 'risk' | 'remediation' | 'own'> | undefined
}

/**
 * A finding as an event of the class Compliance Finding of the Open Cybersecurity Schema Framework. The same finding has
 * the same `finding_info.uid` in every event, and each of its states an own `metadata.uid`, by which copies are told.
 */
export function complianceFinding(finding: FindingView, source: OcsfSource): object {
  const { evidence, message, severity } = finding
  const check = source.check(finding.check)
  const { activity, time } = activityOf(finding)
  const { id: severity_id, caption } = severityCaptions[severity]
  const status = findingStatusOf(finding)
  return {
    ...category,
    class_uid: classUid,
    class_name: className,
    activity_id: activity.id,
    activity_name: activity.caption,
    type_uid: classUid * 100 + activity.id,
    type_name: `${className}: ${activity.caption}`,
    time,
    severity_id,
    severity: caption,
    status_id: status.id,
    status: status.caption,
    message,
    metadata: {
      version: ocsfVersion,
      uid: `${finding.fingerprint}-${activity.id}-${time}`,
      product: { name: 'tenantwatch', vendor_name: 'tenantwatch', version: source.version },
      tenant_uid: finding.tenant,
    },
    finding_info: {
      uid: finding.fingerprint,
      title: message,
      ...(check === undefined ? {} : { desc: `${check.description} ${check.risk}` }),
      types: [finding.check],
      analytic: { type_id: rule.id, type: rule.caption, uid: finding.check, ...named(check?.title) },
      ...timesOf(finding),
    },
    compliance: {
      ...standardsOf(finding.check, check?.title ?? finding.check, check?.own?.frameworks),
      control: finding.check,
      ...complianceOf(finding),
    },
    resources: [resourceOf(finding)],
    evidences: [{ data: evidence }],
    ...(check === undefined ? {} : { remediation: { desc: check.remediation } }),
    unmapped: {
      tenant: finding.tenant,
      state: finding.state,
      resolution: finding.resolution,
      reopened: finding.reopened,
      waiver: finding.waiver,
    },
  }
}

function activityOf({ state, firstSeen, lastSeen, resolvedAt, reopened }: FindingView): {
  readonly activity: Caption
  readonly time: number
} {
  if (state === 'resolved') return { activity: activities.close, time: Date.parse(resolvedAt ?? lastSeen) }
  const isNew = reopened === 0 && firstSeen === lastSeen
  return { activity: isNew ? activities.create : activities.update, time: Date.parse(lastSeen) }
}

/** Only what was put right counts as resolved; what ended because its entity or its rule went is put aside. */
function findingStatusOf({ state, resolution }: FindingView): Caption {
  switch (state) {
    case 'open':
      return findingStatuses.fresh
    case 'waived':
      return findingStatuses.suppressed
    case 'resolved':
      return resolution === 'fixed' ? findingStatuses.resolved : findingStatuses.archived
    default:
      throw new TypeError(`Unknown state ${state satisfies never}`)
  }
}

/** A waived finding still fails, and only a fixed one passes: the end of a rule proves nothing. */
function complianceOf({ state, resolution }: FindingView): object {
  const status =
    state !== 'resolved'
      ? complianceStatuses.fail
      : resolution === 'fixed'
        ? complianceStatuses.pass
        : complianceStatuses.other
  return {
    status_id: status.id,
    // The schema leaves the word beside 99 to its source.
    status: status.id === complianceStatuses.other.id ? (resolution ?? status.caption) : status.caption,
    ...(resolution === null ? {} : { status_code: resolution }),
  }
}

function timesOf({ firstSeen, lastSeen, resolvedAt }: FindingView): object {
  const first = Date.parse(firstSeen)
  const last = Date.parse(lastSeen)
  return {
    created_time: first,
    first_seen_time: first,
    last_seen_time: last,
    modified_time: resolvedAt === null ? last : Date.parse(resolvedAt),
  }
}

function resourceOf({ entity, evidence }: FindingView): object {
  return { uid: entity.id, type: entity.type, ...named(evidence['name'] ?? evidence['filename']) }
}

function named(name: unknown): { readonly name?: string } {
  return typeof name === 'string' && name !== '' ? { name } : {}
}
