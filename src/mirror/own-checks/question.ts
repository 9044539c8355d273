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
}

/** Input of the process that runs a query; its output is one line of JSON. */
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
  /** Of the process, in bytes. */
  readonly maxMemoryBytes: number
}
