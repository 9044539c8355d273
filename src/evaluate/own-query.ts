import type { ResourceName } from '../model/resource-names.ts'
import type { RecordReader } from '../store/records/query.ts'

export interface OwnQuery {
  readonly text: string
  readonly inputs: readonly ResourceName[]
  /** Bound to `:now`, in milliseconds since the epoch. */
  readonly now: number
  /** Bound to `:tenant`. */
  readonly tenant: string
  readonly timeoutMs: number
  /** Limit of rows whose status is not `ok`. */
  readonly maxRows: number
}

type EntityReason = readonly [entity: string, reason: string]

/** Each entity once, with its most severe status. */
export interface OwnAnswer {
  readonly kind: 'answered'
  /** Number of entities. */
  readonly ok: number
  readonly alarms: readonly EntityReason[]
  readonly errors: readonly EntityReason[]
  readonly skipped: readonly string[]
}

/** `problem` contains no mirrored data. */
export interface NoAnswer {
  readonly kind: 'failed'
  readonly problem: string
}

export interface QueriedStore {
  syncState(tenantId: number, resource: ResourceName): Promise<{ readonly version: number }>
  records(tenantId: number): Pick<RecordReader, 'select'>
}

/** Runs queries of own checks over the live records of one tenant (docs/own-checks.md#what-a-query-cannot-do). */
export interface OwnQueries {
  /** @throws the signal's reason, and errors of the store. */
  ask(store: QueriedStore, tenantId: number, query: OwnQuery, signal?: AbortSignal): Promise<OwnAnswer | NoAnswer>
}
