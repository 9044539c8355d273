import type { Severity } from '../../model/severity.ts'

/** Times are milliseconds since the epoch. */
export interface NotedWaiver {
  readonly id: string
  readonly check: string
  readonly entity: string
  /** `entity` as spelled in the mirror's keys. */
  readonly entityKey: string
  /** Digest of the agreed terms; a different one is a renewal. */
  readonly terms: string
  readonly since: number
  readonly expiresAt: number
}

/** A waiver covers a finding from now on. */
export interface NewAcceptance extends WaiverTerms {
  readonly fingerprint: string
  readonly severity: Severity
  /** JSON object of the material facts, whose change ends the acceptance. */
  readonly facts: string
}

/** A waiver no longer covers a finding, because these are its facts now. */
export interface NewLapse {
  readonly fingerprint: string
  readonly waiver: string
  readonly facts: string
}

export interface WaiverChanges {
  readonly accepted: readonly NewAcceptance[]
  readonly lapsed: readonly NewLapse[]
}

export interface Acceptance {
  readonly fingerprint: string
  readonly waiver: string
  readonly facts: string
  readonly lapsedAt: number | null
}

export interface WaiverTerms {
  readonly waiver: string
  readonly terms: string
}

/** A waiver no longer covers an open finding, because accepted facts changed. */
export interface Lapse extends WaiverTerms {
  readonly fingerprint: string
  readonly lapsedAt: number
  /** JSON objects of the material facts, as accepted and as changed. */
  readonly accepted: string | null
  readonly changed: string | null
}

export interface LapseEvent extends Pick<Lapse, 'fingerprint' | 'waiver'> {
  readonly check: string
}

export interface LapseCount extends WaiverTerms {
  readonly severity: Severity
  readonly count: number
}

export interface AcceptedState {
  readonly entityId: string
  /** Null = none, as for a removed entity. */
  readonly state: unknown
  readonly at: number
  readonly reason: string | null
}

export interface AcceptedStateOf extends AcceptedState {
  readonly tenantId: number
  readonly check: string
}

/** Decisions of operators about findings. */
export interface WaiverStore {
  notedWaivers(tenantId: number): Promise<readonly NotedWaiver[]>
  /** Stores a new or renewed waiver with the findings that it covers; earlier acceptances end. */
  agreeWaiver(tenantId: number, waiver: NotedWaiver, accepted: readonly NewAcceptance[]): Promise<void>
  acceptances(fingerprints: readonly string[]): Promise<readonly Acceptance[]>
  lapses(fingerprints: readonly string[]): Promise<readonly Lapse[]>
  /** Lapsed open findings by waiver; counts can be 0. */
  lapseCounts(tenantId: number, check: string): Promise<readonly LapseCount[]>
  /** Open findings that have lapsed under every one of these waivers, by severity. */
  lapsedUnderAll(
    tenantId: number,
    check: string,
    waivers: readonly WaiverTerms[],
  ): Promise<readonly Pick<LapseCount, 'severity' | 'count'>[]>
  /** Lapses that an evaluation at exactly `at` found. */
  lapsesAt(tenantId: number, at: number, most: number): Promise<readonly LapseEvent[]>
  /** The last accepted state of each entity; null before the first states are stored. */
  acceptedStates(tenantId: number, check: string): Promise<readonly AcceptedState[] | null>
  keepFirstStates(
    tenantId: number,
    check: string,
    states: readonly Pick<AcceptedState, 'entityId' | 'state'>[],
    at: number,
  ): Promise<void>
  /** Accepts all states or none; false if one was already accepted as it is. */
  acceptStates(accepted: readonly AcceptedStateOf[]): Promise<boolean>
  /** Changes with each accepted state of a check; 0 before the first. */
  acceptedVersion(tenantId: number, check: string): Promise<number>
}
