import type { CheckStatus, Resolution } from '../model/check-status.ts'
import type { Reason, UnknownReason } from '../model/reasons.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { Severity, SeverityCounts } from '../model/severity.ts'

/** Tenant id of the events that belong to no tenant. */
export const sharedChain = 0

export const recordKinds = ['record.created', 'record.changed', 'record.removed', 'record.returned'] as const
export const findingKinds = ['finding.opened', 'finding.changed', 'finding.resolved', 'finding.reopened'] as const
export const openedKinds = [
  'finding.opened',
  'finding.reopened',
] as const satisfies readonly (typeof findingKinds)[number][]
/** A waiver's terms came into force: for the first time, or different ones. */
export const termsKinds = ['waiver.agreed', 'waiver.renewed'] as const
/** It left the configuration, or came back with the terms that it had. */
export const waiverMoves = ['waiver.withdrawn', 'waiver.returned'] as const
export const waiverKinds = [...termsKinds, ...waiverMoves] as const

export type RecordKind = (typeof recordKinds)[number]
export type FindingKind = (typeof findingKinds)[number]

export type EventKind =
  | RecordKind
  | FindingKind
  | (typeof waiverKinds)[number]
  | 'clock.confirmed'
  | 'clock.set_back'
  | 'configuration'
  | 'drift.accepted'
  | 'drift.first'
  | 'history.erased'
  | 'hold.accepted'
  | 'hold.applied'
  | 'result'
  | 'tenant.state'
  | 'waiver.lapsed'

/** By field, the value before and after. */
export type FieldChanges = Readonly<Record<string, readonly [before: unknown, after: unknown]>>

/** The state of a finding after an event. */
export interface FindingFacts {
  readonly severity: Severity
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
  readonly firstSeenAt: number
  readonly reopened: number
  /** Null while it is open. */
  readonly resolution: Resolution | null
  /** Of a resolved one: when it was last opened or reopened. */
  readonly openedAt?: number | undefined
}

/** A check result that differs from the one before it in more than the time of its confirmation. */
export interface ResultFacts {
  readonly status: CheckStatus
  readonly reason: UnknownReason | null
  readonly entities: number | null
  readonly notEvaluated: number | null
  readonly since: number
  readonly rule: string | null
  /** Open findings by severity. */
  readonly open: Readonly<SeverityCounts>
  /** Until when the previous result was confirmed and valid; null = there is none. */
  readonly previous: { readonly confirmedAt: number; readonly validUntil: number | null } | null
}

/** Terms of a waiver, whose id is the subject. */
export interface WaiverTermsFacts {
  readonly check: string
  /** Entity as the waiver names it. */
  readonly entity: string
  /** Digest; a different one is a renewal. */
  readonly terms: string
  readonly reason: string
  /** Who agreed to these terms. */
  readonly owner: string
  readonly expiresAt: number
}

/** A waiver no longer covers a finding, whose fingerprint is the subject. */
export interface WaiverLapseFacts {
  readonly waiver: string
  readonly check: string
  readonly terms: string
  /** Of the finding. */
  readonly entity: string
  /** Facts of the finding as JSON, accepted and current. */
  readonly accepted: string | null
  readonly changed: string | null
  /** True if the waiver had been withdrawn or had expired before, so that the finding was open already. */
  readonly ended: boolean
}

/** An accepted hold, whose id is the subject. */
export interface HoldFacts {
  readonly resource: ResourceName | 'all'
  readonly holdReason: Reason
  readonly count: number
  readonly reason: string
  /** Who accepted it. */
  readonly by?: string | undefined
}

/** An accepted state, whose subject is check and entity: `check/entity`. */
export interface DriftFacts {
  readonly state: unknown
  readonly reason: string
  /** Who accepted it. */
  readonly by?: string | undefined
}

export interface LastErasure {
  /** Time before which events were erased, in milliseconds since the epoch. */
  readonly before: number
}

/** List for `in`. */
export const listOfKinds = (kinds: readonly EventKind[]) => kinds.map((kind) => `'${kind}'`).join(', ')
