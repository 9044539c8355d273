/** Violations of the promises, by class (docs/internals/reliability.md#what-is-promised). */
export const violationClasses = [
  /** "Never a false green": pass although it cannot have been so within the age of the inputs. */
  'false_green',
  /** A record was removed although it was there all the time, or without the proof that docs/internals/sync.md#5-removal asks for. */
  'wrong_tombstone',
  /** A mirrored record is one that the tenant never had. */
  'torn_record',
  /** The mirror counts a full sync as complete that the tenant did not answer to its end. */
  'unfounded_full_sync',
  /** After the faults stopped, the mirror is not the tenant, row by row. */
  'lost_row',
  /** "Every page and the cursor that follows it are committed in one transaction." */
  'cursor_ahead',
  /** "An outage neither resolves a finding nor turns a check green." */
  'false_resolution',
  /** "Nothing is sent to that tenant before it passes." */
  'retry_after_undercut',
  /** "Nothing is written for" a tenant on hold; another tenant's record is in the mirror. */
  'foreign_data',
  /** Something is erased before its retention is over by the true time. */
  'erased_early',
  /** A value that looks like a secret is stored or logged, or a person is named in the log. */
  'secret_leaked',
  /** A waiver covers a finding of somebody it was not agreed for. */
  'waiver_misused',
  /** A hold or an unknown in ordinary life. */
  'false_alarm',
  /** The hash chain of the history does not verify, although nobody changed a row. */
  'chain_differs',
  /** A status, finding or run that does not become right although faults stopped. */
  'not_recovered',
  /** The product logged a fault of its own, or a run ended as `internal` or `store`. */
  'own_fault',
] as const

export type ViolationClass = (typeof violationClasses)[number]

export interface Violation {
  readonly kind: ViolationClass
  /** The step of the life; steps after the last one are those of the recovery. */
  readonly step: number
  readonly what: string
}
