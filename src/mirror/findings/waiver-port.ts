import type { Severity } from '../../model/severity.ts'

/** A waiver of the configuration as the engine knows it; times are milliseconds since the epoch. */
export interface NotedWaiver {
  readonly id: string
  readonly check: string
  /** As written; `*` for all. */
  readonly entity: string
  /** The same as the mirror's keys have it. */
  readonly entityKey: string
  /** Digest of what was agreed: another one is a renewal. */
  readonly terms: string
  /** When the engine first evaluated by these terms. */
  readonly since: number
  readonly expiresAt: number
}

/** What a waiver accepts of one finding. */
export interface Acceptance {
  readonly fingerprint: string
  readonly severity: Severity
  /** JSON object of the material facts. */
  readonly facts: string
  /** True when it was opened after a waiver for all was agreed. */
  readonly later: boolean
}

/** What was agreed with a waiver at one time. */
export interface WaiverTerms {
  readonly waiver: string
  readonly terms: string
}

/** A waiver that covers an open finding no longer, because what it accepted has changed. */
export interface Lapse extends WaiverTerms {
  readonly fingerprint: string
  readonly lapsedAt: number
  /** JSON objects of the material facts: those accepted, and those that ended it. */
  readonly accepted: string | null
  readonly changed: string | null
}

/** How many open findings of a check and severity a waiver covers no longer. */
export interface LapseCount extends WaiverTerms {
  readonly severity: Severity
  readonly count: number
}

/** In which ways a waiver covers more than was looked at when it was agreed. */
export interface WaiverBreadth {
  readonly waiver: string
  readonly terms: string
  readonly later: boolean
  readonly moreSevere: boolean
}

/** What an operator, or a check's first look, declared to be the state that drift is measured from. */
export interface AcceptedState {
  readonly entityId: string
  /** Null = there is none, as of what was removed. */
  readonly state: unknown
  readonly at: number
  /** Why; null for the first state that was seen. */
  readonly reason: string | null
}

/** What people decided about findings. A check result that changes a finding keeps acceptances and lapses up by itself. */
export interface WaiverStore {
  notedWaivers(tenantId: number): Promise<readonly NotedWaiver[]>
  /** Ends what a waiver accepted under earlier terms, and forgets these: it is noted anew, whatever it says by then. */
  dropAcceptances(tenantId: number, waiver: string): Promise<void>
  /** Notes what a waiver accepts of findings that are stored; what is noted already stays. */
  noteAcceptances(
    tenantId: number,
    waiver: Pick<NotedWaiver, 'id' | 'check' | 'terms'>,
    accepted: readonly Acceptance[],
    at: number,
  ): Promise<void>
  /** From here on check results note by themselves what the waiver comes to cover. */
  noteWaiver(tenantId: number, waiver: NotedWaiver): Promise<void>
  /** Of the open findings with these fingerprints. */
  lapses(fingerprints: readonly string[]): Promise<readonly Lapse[]>
  /** Of the open findings of a check, for each noted waiver alone; counts of 0 may be among them. */
  lapseCounts(tenantId: number, check: string): Promise<readonly LapseCount[]>
  /** How many open findings of a check, by severity, have lapsed under each of these waivers. */
  lapsedUnderAll(
    tenantId: number,
    check: string,
    waivers: readonly WaiverTerms[],
  ): Promise<readonly Pick<LapseCount, 'severity' | 'count'>[]>
  waiverBreadth(tenantId: number): Promise<readonly WaiverBreadth[]>
  /** The last accepted state of each entity; null while a check has not kept its first states. */
  acceptedStates(tenantId: number, check: string): Promise<readonly AcceptedState[] | null>
  /** Keeps the first states of a check as a whole, once. */
  keepFirstStates(
    tenantId: number,
    check: string,
    states: readonly Pick<AcceptedState, 'entityId' | 'state'>[],
    at: number,
  ): Promise<void>
  acceptState(tenantId: number, check: string, state: AcceptedState): Promise<void>
  /** Another number after each state that was accepted for a check; 0 before the first. */
  acceptedVersion(tenantId: number, check: string): number
}
