/** Violations of what is promised of replicas, by class (docs/internals/reliability.md#replicas). */
export const replicaViolationClasses = [
  /** A transaction was committed by a replica that did not own the tenant, or under a former epoch. */
  'stale_write',
  /** Two replicas exported one tenant. */
  'two_exporters',
  /** A tenant had no owner for longer than 15 seconds, while a replica lived. */
  'unowned',
  /** Pass, or a finding that ended, although it cannot have been so within the age of the inputs. */
  'false_green',
  'false_resolution',
  /** After the faults stopped, the mirror is not the tenant, row by row. */
  'lost_row',
  /** A change of a record is not in its history. */
  'lost_history',
  /** A status, finding or count that does not become right although faults stopped. */
  'not_recovered',
  /** The product logged a fault of its own, or a replica ended. */
  'own_fault',
] as const

export type ReplicaViolationClass = (typeof replicaViolationClasses)[number]

export interface ReplicaViolation {
  readonly kind: ReplicaViolationClass
  /** Milliseconds since the life began. */
  readonly at: number
  readonly what: string
}
