import type { CheckStatus } from './check-status.ts'
import type { Reason, Refusal, UnknownReason } from './reasons.ts'
import type { ResourceName, SyncMode } from './resource-names.ts'
import type { Severity, SeverityCounts } from './severity.ts'

/** A tenant's state for all outputs, with ages applied. Times in milliseconds since the epoch; null = never. */
export interface TenantPosture {
  readonly tenant: string
  readonly at: number
  readonly waiversAt: number
  readonly clockSkewMs: number | null
  readonly blockedUntil: number
  readonly holds: readonly HoldView[]
  readonly identity: IdentityState
  /** Another configured tenant with the same API clients or documents; the identity is then unproven. */
  readonly sharedWith?: string
  readonly resources: readonly ResourceView[]
  readonly checks: readonly CheckView[]
  readonly waivers: readonly WaiverView[]
  /** Only where several replicas share the database. */
  readonly owner?: OwnerView
}

/** The replica that works on a tenant; ages by the clock of the database. */
export interface OwnerView {
  /** Host name and a part that is new at each start; the last owner if it died. */
  readonly replica: string | null
  /** False if no living replica owns the tenant, so that it is not synced. */
  readonly isAlive: boolean
  readonly heartbeatAgeMs: number | null
  /** Since when the tenant has this owner, or none; null before the first owner. */
  readonly since: number | null
}

/** Whether the data is proven to be the tenant's (docs/internals/reliability.md); `unproven` = nothing to compare. */
export const identityStates = ['held', 'proven', 'unproven'] as const
export type IdentityState = (typeof identityStates)[number]

const identitySentences: Readonly<Record<IdentityState, string>> = {
  held: "The tenant is on hold: its data may be another tenant's.",
  proven: 'The tenant is recognized by ids that no other tenant has.',
  unproven:
    'Nothing identifies the tenant: no record with such an id is mirrored, so another tenant could go unnoticed.',
}

/** A sentence that explains the identity state. */
export function identitySentence({
  tenant,
  identity,
  sharedWith,
}: Pick<TenantPosture, 'tenant' | 'identity' | 'sharedWith'>): string {
  if (sharedWith === undefined) return identitySentences[identity]
  return `${tenant} and ${sharedWith} show the data of one and the same tenant: correct the token of one. Until then the checks of both are unknown.`
}

/** `lapsed` = the accepted facts changed; `orphaned` = the check is disabled or the entity does not exist. */
export const waiverStates = ['active', 'expired', 'lapsed', 'orphaned'] as const
export type WaiverState = (typeof waiverStates)[number]

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
}

export interface HoldView {
  readonly id: string
  readonly resource: ResourceName | 'all'
  readonly reason: Reason
  readonly count: number
  readonly message: string
  readonly raisedAt: number
  /** Reason of the operator who accepted the hold; absent before. The hold ends when the acceptance takes effect. */
  readonly acceptedReason?: string
  /** True if accepting the hold replaces the tenant's data with that of another tenant; absent for others. */
  readonly replacesTenant?: boolean
  /** How to end a hold that cannot be accepted; absent for others. */
  readonly remedy?: string
  /** Effect of accepting, and what to compare before; absent for a hold that is accepted or cannot be. */
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
  /** When the first full sync was complete; null = never. */
  readonly firstCompleteAt: number | null
  readonly freshnessLimitMs: number
  readonly fresh: boolean
  /** True until the first complete full sync after a change of tenant was accepted. */
  readonly formerTenant?: boolean
  /** Set if the token may not read this resource or is refused everywhere; absent after the next success. */
  readonly refused?: Refusal
  /** True from a refused run until the next success, also while a hold or a missing first sync is shown instead. */
  readonly accessRefused?: boolean
  readonly message: string | null
  readonly modes: readonly ModeView[]
}

/** True until a run of the resource has ended: with a running engine, its first full sync runs or is about to. */
export function isUntried({ enabled, modes }: Pick<ResourceView, 'enabled' | 'modes'>): boolean {
  return enabled && modes.every(({ lastAttemptAt }) => lastAttemptAt === null)
}

/** Resources that were never tried, without those that wait for a Retry-After or for a decision about a hold. */
export function untriedResources({
  at,
  blockedUntil,
  holds,
  resources,
}: Pick<TenantPosture, 'at' | 'blockedUntil' | 'holds' | 'resources'>): readonly string[] {
  if (blockedUntil > at) return []
  const isHeld = (name: string) => holds.some(({ resource }) => resource === 'all' || resource === name)
  return resources
    .filter(isUntried)
    .map(({ resource }) => resource)
    .filter((resource) => !isHeld(resource))
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
  /** States the passing case, or of a failing check how many findings are open. */
  readonly title: string
  readonly passesWhen: string
  /** The consequence of the failure, and what to do. */
  readonly risk: string
  readonly remediation: string
  /** Name of its alert, whose runbook is at docs/checks.md; absent for a check without one. */
  readonly runbook?: string
  readonly enabled: boolean
  readonly status: CheckStatus
  readonly reason: UnknownReason | null
  /** Why further entities may fail; only for a check that fails on incomplete data. */
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
