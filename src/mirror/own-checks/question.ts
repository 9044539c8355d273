import type { ResourceName } from '../../model/resource-names.ts'

/** The query of an own check, with what it may read and use up. */
export interface OwnQuery {
  readonly text: string
  readonly inputs: readonly ResourceName[]
  /** Bound to `:now`, in milliseconds since the epoch. */
  readonly now: number
  /** Bound to `:tenant`: the name of the tenant. */
  readonly tenant: string
  readonly timeoutMs: number
  /** How many rows with another status than `ok` it may return. */
  readonly maxRows: number
}

/** An entity with the query's sentence about it. */
export type Said = readonly [entity: string, reason: string]

/** What the rows say, each entity once, by the most severe of its statuses. */
export interface OwnAnswer {
  readonly kind: 'answered'
  readonly ok: number
  readonly alarms: readonly Said[]
  readonly errors: readonly Said[]
  readonly skipped: readonly string[]
}

/** Why there is no answer; the sentence repeats nothing of what is mirrored. */
export interface NoAnswer {
  readonly kind: 'failed'
  readonly problem: string
}

/** What the process that runs a query is told; its answer is one line of JSON. */
export interface Job {
  /** The mirror's file; null = tables without rows. */
  readonly file: string | null
  readonly emptyTables: readonly string[]
  readonly views: readonly {
    readonly name: string
    readonly columns: readonly string[]
    readonly body: string
    /** The input that must be declared; null when it was. */
    readonly undeclared: string | null
  }[]
  readonly query: string
  readonly parameters: { readonly now: number; readonly tenant: string }
  readonly maxRows: number
  /** Entities and reasons together, in UTF-16 units. */
  readonly maxText: number
  /** Of one value within the query, in bytes. */
  readonly maxValueBytes: number
  /** Of the process, in bytes. */
  readonly maxMemoryBytes: number
}
