import type { CheckStatus } from './check-status.ts'
import type { Reason, Refusal, UnknownReason } from './reasons.ts'
import type { ResourceName, SyncMode } from './resource-names.ts'
import type { Severity, SeverityCounts } from './severity.ts'

/**
 * Outputs share it, so that all apply the present age of inputs. Times in milliseconds since the epoch; null = never.
 */
export interface TenantPosture {
  readonly tenant: string
  readonly at: number
  readonly waiversAt: number
  readonly clockSkewMs: number | null
  readonly blockedUntil: number
  readonly holds: readonly HoldView[]
  readonly identity: IdentityState
  /** Another configured tenant that is the same one, by its API clients or documents; the identity is then unproven. */
  readonly sharedWith?: string
  readonly resources: readonly ResourceView[]
  readonly checks: readonly CheckView[]
  readonly waivers: readonly WaiverView[]
  /** The file of the token or client secret is away; present in the daemon's own pages only. */
  readonly lostSecret?: boolean
  /** Only where several replicas share the database. */
  readonly owner?: OwnerView
}

/** Which replica works on a tenant; ages by the clock of the database. */
export interface OwnerView {
  /** Name of the host and a part that is new at each start; the last owner where that one died. */
  readonly replica: string | null
  /** False when no living replica owns the tenant: nothing is read from it. */
  readonly isAlive: boolean
  readonly heartbeatAgeMs: number | null
  /** Since when it owns the tenant, or none does; null before the first one. */
  readonly since: number | null
}

/** Whether the data is proven to be the tenant's (docs/reliability.md); `unproven` while nothing can be compared. */
export const identityStates = ['held', 'proven', 'unproven'] as const
export type IdentityState = (typeof identityStates)[number]

const identitySentences: Readonly<Record<IdentityState, string>> = {
  held: "The tenant is on hold: its data may be another tenant's.",
  proven: 'The tenant is recognized by ids that no other tenant has.',
  unproven:
    'Nothing identifies the tenant: no record with such an id is mirrored, so another tenant could go unnoticed.',
}

/** Why the identity is in its state, as a sentence. */
export function identitySentence({
  tenant,
  identity,
  sharedWith,
}: Pick<TenantPosture, 'tenant' | 'identity' | 'sharedWith'>): string {
  if (sharedWith === undefined) return identitySentences[identity]
  return `${tenant} and ${sharedWith} show the data of one and the same tenant: correct the token of one. Until then the checks of both are unknown.`
}

/** @param identifying resources whose ids exist in one tenant only. */
export function identityStateOf(
  { holds, resources }: Pick<TenantPosture, 'holds' | 'resources'>,
  identifying: readonly ResourceName[],
): IdentityState {
  if (holds.some(({ resource, reason }) => resource === 'all' && reason === 'tenant_changed')) return 'held'
  const identifies = ({ resource, enabled, live, dataAsOf }: ResourceView) =>
    identifying.includes(resource) && enabled && live > 0 && dataAsOf !== null
  return resources.some(identifies) ? 'proven' : 'unproven'
}

/** `lapsed` = the accepted facts changed; `orphaned` = the check is disabled or the entity does not exist. */
export const waiverStates = ['active', 'expired', 'lapsed', 'orphaned'] as const
export type WaiverState = (typeof waiverStates)[number]

export type Breadth = 'entities' | 'later' | 'moreSevere'

export interface WaiverView {
  readonly id: string
  readonly check: string
  readonly entity: string
  readonly owner: string
  readonly reason: string
  readonly expiresAt: number
  readonly state: WaiverState
  readonly covered: number
  readonly lapsed: number
  readonly breadth: readonly Breadth[]
}

export interface HoldView {
  readonly id: string
  readonly resource: ResourceName | 'all'
  readonly reason: Reason
  readonly count: number
  readonly message: string
  readonly raisedAt: number
  /** What the operator stated who accepted it; absent while nobody did. The hold goes when that takes effect. */
  readonly acceptedReason?: string
  /** True when accepting it replaces the data of the tenant with those of another one; absent for others. */
  readonly replacesTenant?: boolean
  /** What ends a hold that cannot be accepted; absent for others. */
  readonly remedy?: string
  /** What accepting does, and what to compare before; absent for a hold that is accepted or cannot be. */
  readonly effect?: string
  readonly advice?: string
}

export interface ResourceView {
  readonly resource: ResourceName
  readonly enabled: boolean
  readonly live: number
  readonly quarantined: number
  readonly missing: number
  readonly dataAsOf: number | null
  readonly freshnessLimitMs: number
  readonly fresh: boolean
  /** True until the first complete full sync after a change of tenant was accepted. */
  readonly formerTenant?: boolean
  /** Since the last success the token may not read it, or is refused for everything. */
  readonly refused?: Refusal
  /** True from a refused run until the next success, also while a hold or a missing first sync is shown instead. */
  readonly accessRefused?: boolean
  readonly message: string | null
  readonly modes: readonly ModeView[]
}

/** True until a run of it has ended: with an engine at work, its first full sync is under way or about to begin. */
export function isUntried({ enabled, modes }: Pick<ResourceView, 'enabled' | 'modes'>): boolean {
  return enabled && modes.every(({ lastAttemptAt }) => lastAttemptAt === null)
}

export interface ModeView {
  readonly mode: SyncMode
  readonly up: boolean
  readonly lastAttemptAt: number | null
  readonly lastSuccessAt: number | null
  readonly freshnessLimitMs: number
  readonly reason: Reason | null
}

export interface CheckView {
  readonly check: string
  readonly title: string
  /** What may happen while it fails, and what to do. */
  readonly risk: string
  readonly remediation: string
  /** Name of its alert's page in docs/runbooks; absent for a check without an alert of its own. */
  readonly runbook?: string
  readonly enabled: boolean
  readonly status: CheckStatus
  readonly reason: UnknownReason | null
  /** Why more entities than those found may fail; absent unless it fails on data that is not whole. */
  readonly partial?: UnknownReason
  readonly problem?: string
  readonly assumption?: string
  readonly entities: number | null
  readonly notEvaluated: number | null
  /** The condition that excludes those entities; absent without any, and for own checks. */
  readonly notEvaluatedWhere?: string
  /** Absent when ids are not public. */
  readonly unevaluated?: readonly string[]
  readonly evaluatedAt: number | null
  readonly since: number | null
  readonly severities: readonly Severity[]
  readonly open: Readonly<SeverityCounts>
  readonly waived: Readonly<SeverityCounts>
}
