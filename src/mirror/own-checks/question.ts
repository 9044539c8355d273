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

/** Each entity once, by its most severe status. */
export interface OwnAnswer {
  readonly kind: 'answered'
  readonly ok: number
  readonly alarms: readonly EntityReason[]
  readonly errors: readonly EntityReason[]
  readonly skipped: readonly string[]
}

/** `problem` repeats no mirrored data. */
export interface NoAnswer {
  readonly kind: 'failed'
  readonly problem: string
  /** True when the same query over the same records may have an answer soon. */
  readonly isTransient?: true
}

/** Input of a sandbox, a line of JSON each. A list is a row for the last `into`. */
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
    /** The input that the query must declare; null when it did. */
    readonly undeclared: string | null
  }[]
  readonly query: string
  readonly parameters: { readonly now: number; readonly tenant: string }
  readonly maxRows: number
  /** Entities and reasons together, in UTF-16 units. */
  readonly maxText: number
  /** Of one value, in bytes. */
  readonly maxValueBytes: number
  /** Of the process, in bytes, without a snapshot. */
  readonly maxMemoryBytes: number
}
