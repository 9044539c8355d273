import type { ChainHead } from './chain.ts'
import type { AuditLog } from './logs.ts'

export type { ChainHead } from './chain.ts'

/** What does not agree with the chain of a tenant. */
export type ChainMismatch =
  | {
      readonly what: 'entry_changed' | 'entries_missing'
      /** Of the entry at which it shows. */
      readonly sequence: number
      readonly at: number
      /** Missing entries before it. */
      readonly missing: number
    }
  | {
      readonly what: 'rows_changed' | 'rows_missing' | 'rows_inserted' | 'differed_at_erasure'
      readonly sequence: number
      /** When the entry was made, in milliseconds since the epoch. */
      readonly at: number
      readonly log: AuditLog
      readonly firstId: number
      readonly lastId: number
      /** Rows that the entry covers, and rows that are there. */
      readonly sealed: number
      readonly found: number
    }
  | { readonly what: 'head_unknown'; readonly hash: string }

export interface ChainVerification {
  readonly entries: number
  /** Rows whose digest was compared. */
  readonly rows: number
  /** Rows that retention erased after they were sealed. */
  readonly erased: number
  /** Rows since the last entry of their log. */
  readonly unsealed: number
  readonly firstAt: number | null
  readonly head: ChainHead | null
  /** Which of the given heads are in the chain. */
  readonly heads: readonly string[]
  readonly mismatches: readonly ChainMismatch[]
}

export interface AuditStore {
  /** Appends entries for the rows that are not sealed yet; writes nothing without such rows. */
  seal(tenantId: number, at: number): Promise<void>
  /** Compares the logs of a tenant with its chain, beside a running engine. @param heads hashes to look for. */
  verifyChain(tenantId: number, heads?: readonly string[]): Promise<ChainVerification>
}
