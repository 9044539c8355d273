import type { ResourceName } from '../../model/resource-names.ts'

export interface OwnQuery {
  readonly text: string
  readonly inputs: readonly ResourceName[]
  /** Bound to `:now`, in milliseconds since the epoch. */
  readonly now: number
  readonly tenant: string
  readonly timeoutMs: number
  /** Limit of rows whose status is not `ok`. */
  readonly maxRows: number
}

export type EntityReason = readonly [entity: string, reason: string]

/** Each entity once, with its most severe status. */
export interface OwnAnswer {
  readonly kind: 'answered'
  readonly ok: number
  readonly alarms: readonly EntityReason[]
  readonly errors: readonly EntityReason[]
  readonly skipped: readonly string[]
}

/** `problem` contains no mirrored data. */
export interface NoAnswer {
  readonly kind: 'failed'
  readonly problem: string
  /** True if a retry over the same records may succeed. */
  readonly isTransient?: true
}

/** Input of a sandbox, one line of JSON each. A list is a row for the last `into`. */
export type Message =
  | { readonly kind: 'begin'; readonly database: string; readonly tables: readonly string[] }
  | { readonly kind: 'into'; readonly insert: string }
  | readonly unknown[]
  | { readonly kind: 'end'; readonly indexes: readonly string[] }
  | { readonly kind: 'query'; readonly job: Job }

export interface Job {
  readonly file: string | null
  readonly emptyTables: readonly string[]
  readonly views: readonly {
    readonly name: string
    readonly columns: readonly string[]
    readonly body: string
    /** An input that the query must declare but does not; null = none. */
    readonly undeclared: string | null
  }[]
  readonly query: string
  readonly parameters: { readonly now: number; readonly tenant: string }
  readonly maxRows: number
  /** Limit of entities and reasons together, in UTF-16 units. */
  readonly maxText: number
  /** Limit of one value, in bytes. */
  readonly maxValueBytes: number
  /** Limit of the process, in bytes, without a snapshot. */
  readonly maxMemoryBytes: number
}
