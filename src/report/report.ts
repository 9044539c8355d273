import type { OperatorDecision } from '../evaluate/decisions.ts'
import type { CheckStatus } from '../model/check-status.ts'
import { toIso } from '../model/dates.ts'
import type { FindingView, WaiverMark } from '../model/finding.ts'
import { isGuid } from '../model/guid.ts'
import type { HoldView, WaiverView } from '../model/posture.ts'
import type { DataQuality, ResourceState } from '../model/posture-state.ts'
import type { UnknownReason } from '../model/reasons.ts'
import { type Severity, severities } from '../model/severity.ts'

/** `waived` = every failing entity is waived and all others were evaluated; `off` = switched off in the configuration. */
export const standings = ['fail', 'unknown', 'waived', 'pass', 'not_applicable', 'off'] as const
export type Standing = (typeof standings)[number]

/** Numbers of entities of a check; null = not known. */
export interface Coverage {
  /** Entities in scope, evaluated or unknown. */
  readonly entities: number | null
  /** Entities that pass, fail or are waived. */
  readonly evaluated: number | null
  readonly passing: number | null
  readonly failing: number
  readonly waived: number
  readonly unknown: number | null
}

export interface ReportCheck extends Coverage {
  readonly check: string
  readonly title: string
  readonly standing: Standing
  readonly status: CheckStatus
  readonly reason: UnknownReason | null
  readonly since: string | null
  /** The condition that excludes entities from the evaluation; null when all were evaluated. */
  readonly notEvaluatedWhere: string | null
  /** Data time of the oldest input; null if one was never read. */
  readonly dataAsOf: string | null
  /** What the check assumes because an option is not set. */
  readonly assumption: string | null
  readonly options: Readonly<Record<string, unknown>>
}

export interface ReportResource {
  readonly resource: string
  readonly state: ResourceState | 'off'
  readonly dataAsOf: string | null
  readonly ageSeconds: number | null
  readonly limitSeconds: number
  readonly records: number
  readonly quarantined: number
  readonly missing: number
  /** Number of records that the resource's holds concern. */
  readonly held: number
  readonly reasons: readonly string[]
}

/** The state of a requirement; `no_check` = no check is mapped to it. */
export const requirementStates = ['fail', 'unknown', 'waived', 'pass', 'not_applicable', 'no_check'] as const
export type RequirementState = (typeof requirementStates)[number]

export interface ReportRequirement {
  readonly id: string
  readonly title: string
  readonly state: RequirementState
  readonly checks: readonly { readonly check: string; readonly standing: Standing }[]
}

export interface ReportFramework {
  readonly id: string
  readonly name: string
  readonly counts: Readonly<Record<RequirementState, number>>
  readonly requirements: readonly ReportRequirement[]
}

export interface ReportFinding
  extends Omit<FindingView, 'tenant' | 'entity' | 'lastSeen' | 'resolvedAt' | 'resolution' | 'waiver'> {
  /** With known names, e-mail address and file name if details are requested. */
  readonly entity: FindingView['entity']
  readonly ageDays: number
  /** Owner and reason are listed with the waiver. */
  readonly waiver: Pick<WaiverMark, 'id' | 'state' | 'expires' | 'explanation'> | null
}

/** Last event of the tenant's chain; `tenantwatch verify --head` can look for its hash later. */
export interface ReportHead {
  readonly id: number
  readonly at: string
  readonly hash: string
}

/** What an operator accepted, with the reason. */
export interface ReportDecision {
  readonly at: string
  readonly accepted: 'hold' | 'drift'
  /** Resource of a hold (or `all`), check of drift. */
  readonly subject: string
  /** Id of a hold, entity of drift. */
  readonly id: string
  /** For a hold such as `shrink_held (50)`, for drift the accepted state as JSON. */
  readonly what: string
  readonly reason: string
  /** Who accepted it; null = not recorded. */
  readonly by: string | null
  /** Null while no run has applied it; drift is applied when it is accepted. */
  readonly appliedAt: string | null
}

export interface TenantReport {
  readonly tenant: string
  /** The state of the tenant in one sentence. */
  readonly summary: string
  readonly quality: DataQuality
  readonly clocksDiffer: boolean
  readonly checks: readonly ReportCheck[]
  readonly standings: Readonly<Record<Standing, number>>
  readonly open: Readonly<Record<Severity, number>>
  readonly openTotal: number
  readonly waivedTotal: number
  readonly resources: readonly ReportResource[]
  readonly holds: readonly (Omit<HoldView, 'raisedAt'> & { readonly raisedAt: string })[]
  readonly waivers: readonly (Omit<WaiverView, 'expiresAt'> & { readonly expires: string })[]
  /** Oldest first, from the beginning of the history. */
  readonly decisions: readonly ReportDecision[]
  /** Null = there is no event yet. */
  readonly chainHead: ReportHead | null
  readonly frameworks: readonly ReportFramework[]
  /** Open and waived findings, oldest first; each call reads them again. */
  readonly findings: () => AsyncIterable<ReportFinding>
}

/** The audit report. It only depends on the stored history, so that the same time gives the same report. */
export interface Report {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The version of tenantwatch that evaluated. */
  readonly version: string
  /** Start of the stored history. */
  readonly historyBegins: string
  readonly configuredSince: string
  readonly configurationDigest: string
  readonly notes: readonly string[]
  /** Tenants of the mirror that the configuration lacks; empty in a report of one tenant. */
  readonly unconfigured: readonly string[]
  readonly tenants: readonly TenantReport[]
}

const most = 500

export interface TopFindings {
  /** Findings by check, the check with the highest severity first. */
  readonly groups: ReadonlyMap<string, readonly ReportFinding[]>
  readonly shown: number
  readonly total: number
}

/** The 500 most severe findings, waived ones last. At most 1,000 are in memory at a time. */
export async function mostSevere(findings: AsyncIterable<ReportFinding>): Promise<TopFindings> {
  let kept: ReportFinding[] = []
  let total = 0
  for await (const finding of findings) {
    total++
    kept.push(finding)
    if (kept.length >= 2 * most) kept = kept.sort(bySeverity).slice(0, most)
  }
  const shown = kept.sort(bySeverity).slice(0, most)
  return { groups: Map.groupBy(shown, ({ check }) => check), shown: shown.length, total }
}

function bySeverity(a: ReportFinding, b: ReportFinding): number {
  const waived = Number(a.state === 'waived') - Number(b.state === 'waived')
  const severity = severities.indexOf(b.severity) - severities.indexOf(a.severity)
  return (
    waived ||
    severity ||
    order(a.check, b.check) ||
    compareIds(a.entity.id, b.entity.id) ||
    order(a.fingerprint, b.fingerprint)
  )
}

const { compare: compareNaturally } = new Intl.Collator('en', { numeric: true })

/** Compares numbers in ids by value; leading digits of a GUID, which come last, are not a number. */
function compareIds(a: string, b: string): number {
  const isOfGuid = isGuid(a)
  if (isOfGuid !== isGuid(b)) return isOfGuid ? 1 : -1
  return isOfGuid ? order(a, b) : compareNaturally(a, b)
}

/** By code unit, independent of the locale. */
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function reportDecision(decision: OperatorDecision): ReportDecision {
  const { at, accepted, reason, by } = decision
  const facts = { at: toIso(at), accepted, reason, by }
  if (accepted === 'drift') {
    const { check, entityId, state } = decision
    return { ...facts, subject: check, id: entityId, what: JSON.stringify(state), appliedAt: facts.at }
  }
  const { resource, id, holdReason, count, appliedAt } = decision
  const applied = appliedAt === null ? null : toIso(appliedAt)
  return { ...facts, subject: resource, id, what: `${holdReason} (${count})`, appliedAt: applied }
}
