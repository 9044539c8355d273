import { frameworks } from '../checks/frameworks.ts'
import type { CheckFacts } from '../evaluate/check.ts'
import type { FindingView } from '../model/finding.ts'
import type { Severity } from '../model/severity.ts'

export interface Standards {
  readonly standards: readonly string[]
  readonly requirements: readonly string[]
}

/** The standard of a check without a framework, because the schema requires one. */
const ownStandard = 'tenantwatch checks'

/**
 * The framework requirements that a check names.
 *
 * @param title of the check, used as the requirement if it names none.
 * @param written as in the file of the check: `soc2 CC6.1`.
 */
export function standardsOf(title: string, written: readonly string[] = []): Standards {
  const named = new Set(written.map(normal))
  const found = frameworks.flatMap(({ id, name, requirements }) =>
    requirements
      .filter((one) => named.delete(normal(`${id} ${one.id}`)))
      .map((one) => ({ standard: name, requirement: `${name} ${one.id}: ${one.title}` })),
  )
  // Unknown frameworks, as written.
  const others = written.filter((text) => named.has(normal(text)))
  const standards = new Set([...found.map(({ standard }) => standard), ...others])
  if (standards.size === 0) return { standards: [ownStandard], requirements: [title] }
  return { standards: [...standards], requirements: [...found.map(({ requirement }) => requirement), ...others] }
}

function normal(text: string): string {
  return text.toLowerCase().replace(/[\s:]+/g, ' ')
}

interface Caption {
  readonly id: number
  readonly caption: string
}

/** OCSF: `severity_id`. */
const severityCaptions: Readonly<Record<Severity, Caption>> = {
  info: { id: 1, caption: 'Informational' },
  low: { id: 2, caption: 'Low' },
  medium: { id: 3, caption: 'Medium' },
  high: { id: 4, caption: 'High' },
  critical: { id: 5, caption: 'Critical' },
}

/** OCSF: `activity_id` of a finding. */
const activities = {
  create: { id: 1, caption: 'Create' },
  update: { id: 2, caption: 'Update' },
  close: { id: 3, caption: 'Close' },
} as const satisfies Readonly<Record<string, Caption>>

/** OCSF: `status_id` of a finding. */
const findingStatuses = {
  fresh: { id: 1, caption: 'New' },
  suppressed: { id: 3, caption: 'Suppressed' },
  resolved: { id: 4, caption: 'Resolved' },
  archived: { id: 5, caption: 'Archived' },
} as const satisfies Readonly<Record<string, Caption>>

/** OCSF: `compliance.status_id`. */
const complianceStatuses = {
  pass: { id: 1, caption: 'Pass' },
  fail: { id: 3, caption: 'Fail' },
  other: { id: 99, caption: 'Other' },
} as const satisfies Readonly<Record<string, Caption>>

/** Schema version of the events (https://schema.ocsf.io/1.5.0/classes/compliance_finding). */
export const ocsfVersion = '1.5.0'

const category = { category_uid: 2, category_name: 'Findings' } as const
const classUid = 2003
const className = 'Compliance Finding'
const rule: Caption = { id: 1, caption: 'Rule' }

export interface OcsfSource {
  readonly version: string
  /** The facts of a check; undefined when this version does not have it. */
  readonly check: (
    id: string,
  ) => Pick<CheckFacts, 'title' | 'description' | 'risk' | 'remediation' | 'frameworks'> | undefined
}

/** A finding keeps its `finding_info.uid`; each of its states has its own `metadata.uid`, to drop duplicates. */
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
      ...standardsOf(check?.title ?? finding.check, check?.frameworks),
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
      owner: finding.owner,
      link: finding.link,
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

/** Only a fixed finding is Resolved; one that ended because its entity or check was removed is Archived. */
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

/** A waived finding still fails. Only a fixed one passes, because the removal of a check proves nothing. */
function complianceOf({ state, resolution }: FindingView): object {
  const status =
    state !== 'resolved'
      ? complianceStatuses.fail
      : resolution === 'fixed'
        ? complianceStatuses.pass
        : complianceStatuses.other
  return {
    status_id: status.id,
    // For 99 the schema lets the source choose the caption.
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
  const name = evidence['name'] ?? evidence['filename'] ?? entity.name ?? entity.filename
  const { email } = entity
  return {
    uid: entity.id,
    type: entity.type,
    ...named(name),
    ...(email !== undefined && { owner: { email_addr: email } }),
  }
}

function named(name: unknown): { readonly name?: string } {
  return typeof name === 'string' && name !== '' ? { name } : {}
}
