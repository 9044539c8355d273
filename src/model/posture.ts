import type { CheckStatus } from './check-status.ts'
import type { Reason, UnknownReason } from './reasons.ts'
import type { ResourceName, SyncMode } from './resource-names.ts'
import type { Severity } from './severity.ts'

/**
 * What is true of a tenant at one instant, as every output shows it: metrics, page, JSON and commands read this and
 * nothing stored directly, so that a stored check result is never shown without the present ages of its inputs.
 * Times are milliseconds since the epoch; null = never.
 */
export interface TenantPosture {
  readonly tenant: string
  readonly at: number
  /** The time by which waivers end, which a clock that is set back does not put off. */
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
 * documents is complete, `unproven` while there is nothing to compare, `on_hold` while a hold of the whole tenant lasts.
 */
export const identityStates = ['on_hold', 'proven', 'unproven'] as const
export type IdentityState = (typeof identityStates)[number]

/** The state in one sentence. */
export const identitySentences: Readonly<Record<IdentityState, string>> = {
  on_hold: 'The tenant is on hold: its data may be another tenant’s.',
  proven: 'The tenant is recognized by the ids of its API clients or documents.',
  unproven:
    'Nothing identifies the tenant: no API client or document is mirrored, so another tenant could go unnoticed.',
}

/** The identity of a tenant by what its posture holds. */
export function identityOf({ holds, resources }: Pick<TenantPosture, 'holds' | 'resources'>): IdentityState {
  if (holds.some(({ resource, reason }) => resource === 'all' && reason === 'tenant_changed')) return 'on_hold'
  const identifies = ({ resource, enabled, live, dataAsOf }: ResourceView) =>
    (resource === 'api-clients' || resource === 'documents') && enabled && live > 0 && dataAsOf !== null
  return resources.some(identifies) ? 'proven' : 'unproven'
}

/** States of a waiver: `lapsed` = what it accepted has changed; `orphaned` = there is nothing for it to cover. */
export const waiverStates = ['active', 'expired', 'lapsed', 'orphaned'] as const
export type WaiverState = (typeof waiverStates)[number]

/** In which way a waiver covers more than was looked at when it was agreed: many entities, later findings, more severe ones. */
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
  /** Open findings it covers now. */
  readonly covered: number
  /** Open findings it covers no longer, because what it accepted has changed. */
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
  /** One sentence of the last failure, null when the last runs were fine. */
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
  /** Why an own check cannot be evaluated, or not all of its entities, as a sentence; absent while there is nothing to say. */
  readonly problem?: string
  /** What its configuration assumes without anybody having said so, as a sentence; absent while it assumes nothing. */
  readonly assumption?: string
  /** How many entities the check is about, as of the last evaluation; null when that was not known then. */
  readonly entities: number | null
  /** How many of them could not be evaluated; null when that was not known. */
  readonly notEvaluated: number | null
  /** Some of those by id; absent where none can be told. */
  readonly unevaluated?: readonly string[]
  readonly evaluatedAt: number | null
  readonly since: number | null
  /** The severities its findings can have. */
  readonly severities: readonly Severity[]
  /** Open findings by severity, waived ones apart. */
  readonly open: Readonly<Partial<Record<Severity, number>>>
  readonly waived: Readonly<Partial<Record<Severity, number>>>
}
