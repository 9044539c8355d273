import { frameworks, isEvidenceFor, unknownRequirements } from '../checks/frameworks.ts'
import type { CheckFacts } from '../evaluate/check.ts'
import type { FindingView } from '../model/finding.ts'
import { memoizeWeakly } from '../model/memoize.ts'
import { version } from '../model/process/version.ts'
import type { Severity } from '../model/severity.ts'

/** The standard of a check without a framework, because the schema requires one. */
const ownStandard = 'tenantwatch checks'

/**
 * The framework requirements that a check names.
 *
 * @param title of the check, used as the requirement if it names none.
 * @param written as in the file of the check: `soc2 CC6.1`.
 */
export function standardsOf(title: string, written: readonly string[] = []) {
  const found = frameworks.flatMap((framework) =>
    framework.requirements
      .filter(({ id }) => isEvidenceFor({ frameworks: written }, framework, id))
      .map(({ id, title }) => ({ standard: framework.name, requirement: `${framework.name} ${id}: ${title}` })),
  )
  // Unknown frameworks, as written.
  const others = unknownRequirements(written)
  const standards = new Set([...found.map(({ standard }) => standard), ...others])
  if (standards.size === 0) return { standards: [ownStandard], requirements: [title] }
  return { standards: [...standards], requirements: [...found.map(({ requirement }) => requirement), ...others] }
}

const standardsOfCheck = memoizeWeakly(({ title, frameworks }: Pick<CheckFacts, 'title' | 'frameworks'>) =>
  standardsOf(title, frameworks),
)

type Code = readonly [id: number, caption: string]

/** OCSF: `severity_id`. */
const severityCodes: Readonly<Record<Severity, Code>> = {
  info: [1, 'Informational'],
  low: [2, 'Low'],
  medium: [3, 'Medium'],
  high: [4, 'High'],
  critical: [5, 'Critical'],
}

/** Schema version of the events (https://schema.ocsf.io/1.5.0/classes/compliance_finding). */
export const ocsfVersion = '1.5.0'

const classUid = 2003
const className = 'Compliance Finding'

/**
 * A finding keeps its `finding_info.uid`; each of its states has its own `metadata.uid`, to drop duplicates.
 *
 * @param check undefined when this version does not have it.
 */
export function complianceFinding(finding: FindingView, check: CheckFacts | undefined): object {
  const { fingerprint, tenant, evidence, message, severity, state, resolution, reopened, waiver, owner, link } = finding
  const [first, last] = [Date.parse(finding.firstSeen), Date.parse(finding.lastSeen)]
  const ended = finding.resolvedAt === null ? last : Date.parse(finding.resolvedAt)
  const [activityId, activity] = activityOf(finding)
  const status = statusOf(finding)
  return {
    category_uid: 2,
    category_name: 'Findings',
    class_uid: classUid,
    class_name: className,
    activity_id: activityId,
    activity_name: activity,
    type_uid: classUid * 100 + activityId,
    type_name: `${className}: ${activity}`,
    time: ended,
    ...coded('severity', severityCodes[severity]),
    ...coded('status', status.finding),
    message,
    metadata: {
      version: ocsfVersion,
      uid: `${fingerprint}-${activityId}-${status.finding[0]}-${ended}`,
      product: { name: 'tenantwatch', vendor_name: 'tenantwatch', version },
      tenant_uid: tenant,
    },
    finding_info: {
      uid: fingerprint,
      title: message,
      ...(check && { desc: `${check.description} ${check.risk}` }),
      types: [finding.check],
      analytic: { ...coded('type', [1, 'Rule']), uid: finding.check, ...named(check?.title) },
      created_time: first,
      first_seen_time: first,
      last_seen_time: last,
      modified_time: ended,
    },
    compliance: {
      ...(check === undefined ? standardsOf(finding.check) : standardsOfCheck(check)),
      control: finding.check,
      ...coded('status', status.compliance),
      ...(resolution !== null && { status_code: resolution }),
    },
    resources: [resourceOf(finding)],
    evidences: [{ data: evidence }],
    ...(check && { remediation: { desc: check.remediation } }),
    unmapped: { tenant, state, resolution, reopened, waiver, owner, link },
  }
}

function coded(name: string, [id, caption]: Code): object {
  return { [`${name}_id`]: id, [name]: caption }
}

/** OCSF: `activity_id` of a finding. */
function activityOf({ state, firstSeen, lastSeen, reopened }: FindingView): Code {
  if (state === 'resolved') return [3, 'Close']
  return reopened === 0 && firstSeen === lastSeen ? [1, 'Create'] : [2, 'Update']
}

/**
 * OCSF: `status_id` of a finding and `compliance.status_id`. A waived finding still fails. Only a fixed one is resolved and
 * passes; one that ended because its entity or check was removed is archived and proves nothing.
 */
function statusOf({ state, resolution }: FindingView): { readonly finding: Code; readonly compliance: Code } {
  if (state === 'open') return { finding: [1, 'New'], compliance: [3, 'Fail'] }
  if (state === 'waived') return { finding: [3, 'Suppressed'], compliance: [3, 'Fail'] }
  if (resolution === 'fixed') return { finding: [4, 'Resolved'], compliance: [1, 'Pass'] }
  // For 99 the schema lets the source choose the caption.
  return { finding: [5, 'Archived'], compliance: [99, resolution ?? 'Other'] }
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
