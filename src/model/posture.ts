import type { CheckStatus } from './check-status.ts'
import type { Reason, UnknownReason } from './reasons.ts'
import type { ResourceName, SyncMode } from './resource-names.ts'
import type { Severity } from './severity.ts'

/**
 * The state of a tenant at one instant. All outputs (metrics, page, JSON, commands) use it instead of stored results, so that
 * the present age of inputs is always applied. Times are milliseconds since the epoch; null = never.
 */
export interface TenantPosture {
  readonly tenant: string
  readonly at: number
  /** Time that waivers are compared with; it does not go back with the clock. */
  readonly waiversAt: number
  readonly clockSkewMs: number | null
  readonly blockedUntil: number
  readonly holds: readonly HoldView[]
  readonly identity: IdentityState
  readonly resources: readonly ResourceView[]
  readonly checks: readonly CheckView[]
  readonly waivers: readonly WaiverView[]
}

/**
 * Whether the data is known to be the tenant's (docs/reliability.md): `proven` once a full sync of API clients or
 * documents is complete, `unproven` while there is nothing to compare, `on_hold` during a hold of the whole tenant.
 */
export const identityStates = ['on_hold', 'proven', 'unproven'] as const
export type IdentityState = (typeof identityStates)[number]

export const identitySentences: Readonly<Record<IdentityState, string>> = {
  on_hold: 'The tenant is on hold: its data may be another tenant’s.',
  proven: 'The tenant is recognized by the ids of its API clients or documents.',
  unproven:
    'Nothing identifies the tenant: no API client or document is mirrored, so another tenant could go unnoticed.',
}

export function identityOf({ holds, resources }: Pick<TenantPosture, 'holds' | 'resources'>): IdentityState {
  if (holds.some(({ resource, reason }) => resource === 'all' && reason === 'tenant_changed')) return 'on_hold'
  const identifies = ({ resource, enabled, live, dataAsOf }: ResourceView) =>
    (resource === 'api-clients' || resource === 'documents') && enabled && live > 0 && dataAsOf !== null
  return resources.some(identifies) ? 'proven' : 'unproven'
}

/** `lapsed` = the accepted facts changed; `orphaned` = the check is disabled or the entity does not exist. */
export const waiverStates = ['active', 'expired', 'lapsed', 'orphaned'] as const
export type WaiverState = (typeof waiverStates)[number]

/** Why a waiver covers more than was reviewed: many entities, later findings, or more severe ones. */
export type Breadth = 'entities' | 'later' | 'moreSevere'

export interface WaiverView {
  readonly id: string
  readonly check: string
  /** As written; `*` for all. */
  readonly entity: string
  readonly owner: string
  readonly reason: string
  /** Last valid instant. */
  readonly expiresAt: number
  readonly state: WaiverState
  readonly covered: number
  /** Open findings that it no longer covers because the accepted facts changed. */
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
}

export interface ResourceView {
  readonly resource: ResourceName
  readonly enabled: boolean
  readonly live: number
  readonly quarantined: number
  readonly missing: number
  /** Start of the last complete full sync: the age of the data. */
  readonly dataAsOf: number | null
  readonly freshnessLimitMs: number
  readonly fresh: boolean
  /** Message of the last failure; null when the last runs succeeded. */
  readonly message: string | null
  readonly modes: readonly ModeView[]
}

export interface ModeView {
  readonly mode: SyncMode
  /** True when the last run of this mode succeeded; false also before the first. */
  readonly up: boolean
  readonly lastAttemptAt: number | null
  readonly lastSuccessAt: number | null
  readonly freshnessLimitMs: number
  readonly reason: Reason | null
}

export interface CheckView {
  readonly check: string
  readonly title: string
  readonly enabled: boolean
  readonly status: CheckStatus
  /** Set exactly when the status is `unknown`. */
  readonly reason: UnknownReason | null
  /** Error of an own check, or about entities that it could not evaluate. */
  readonly problem?: string
  /** An assumption that the configuration does not confirm. */
  readonly assumption?: string
  /** Entities in scope at the last evaluation; null when unknown. */
  readonly entities: number | null
  /** Entities that could not be evaluated; null when unknown. */
  readonly notEvaluated: number | null
  /** Ids of some of these; absent when ids are not public. */
  readonly unevaluated?: readonly string[]
  readonly evaluatedAt: number | null
  readonly since: number | null
  readonly severities: readonly Severity[]
  /** Open findings by severity, waived ones apart. */
  readonly open: Readonly<Partial<Record<Severity, number>>>
  readonly waived: Readonly<Partial<Record<Severity, number>>>
}
