import type { ChainHead } from './chain.ts'
import type { AuditLog } from './logs.ts'

export type { ChainHead } from './chain.ts'

/** The entry at which a mismatch was found. */
interface AtEntry {
  readonly sequence: number
  /** In milliseconds since the epoch. */
  readonly at: number
}

/** Rows that differ from their entry. */
export interface RowsMismatch extends AtEntry {
  readonly what: 'rows_changed' | 'rows_missing' | 'rows_inserted' | 'differed_at_erasure'
  readonly log: AuditLog
  readonly firstId: number
  readonly lastId: number
  /** Number of rows that the entry covers, and of rows found. */
  readonly sealed: number
  readonly found: number
}

/**
 * Rows of an entry that are dated more than an hour before an earlier sealing that lacks them: they were inserted
 * later, or the clock was set back between two evaluations.
 */
export interface BackdatedRows extends AtEntry {
  readonly what: 'rows_backdated'
  readonly log: AuditLog
  readonly count: number
  /** Time of the first row. */
  readonly firstAt: number
  /** Time of that earlier sealing. */
  readonly sealedBefore: number
}

/** Rows with an id that the mirror never gives and no evaluation seals, or without a time in milliseconds. */
export interface StrayRows {
  readonly what: 'rows_out_of_range'
  readonly log: AuditLog
  readonly count: number
}

/** Rows that an evaluation more than an hour ago should have sealed, so that their entries were removed. */
export interface UnsealedRows {
  readonly what: 'rows_not_sealed'
  readonly log: AuditLog
  readonly count: number
  /** When the first row was written. */
  readonly at: number
}

/** Findings that differ from their last event. */
export interface FindingsMismatch {
  readonly what: 'findings_missing' | 'findings_inserted' | 'findings_changed'
  readonly count: number
  /** Fingerprint of the first one. */
  readonly fingerprint: string
}

/** Waivers that cover findings although the last change of them is that they lapsed. */
export interface RevivedWaivers {
  readonly what: 'lapses_missing'
  /** Of findings. */
  readonly count: number
  /** Of the first of them. */
  readonly waiver: string
}

/** Check results that do not agree with the last change of their check. */
export interface ResultsMismatch {
  readonly what: 'results_changed'
  readonly count: number
  /** The first of them. */
  readonly check: string
}

/** A chain whose tenant is not in the table of tenants; found with the shared chain. `at` is of its last entry. */
export interface ChainWithoutTenant {
  readonly what: 'tenant_missing'
  readonly tenantId: number
  readonly entries: number
  readonly at: number
}

/** A deviation from the chain of a tenant. */
export type ChainMismatch =
  | RowsMismatch
  | BackdatedRows
  | UnsealedRows
  | StrayRows
  | FindingsMismatch
  | ResultsMismatch
  | RevivedWaivers
  | (AtEntry & { readonly what: 'entry_changed' | 'configuration_chain_changed' })
  | (AtEntry & { readonly what: 'entries_missing'; readonly missing: number })
  | ChainWithoutTenant

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
  /** The entries of the chain with the given hashes. */
  readonly heads: readonly ChainHead[]
  readonly mismatches: readonly ChainMismatch[]
}

export interface AuditStore {
  /** Appends entries for rows that are not sealed yet, of a tenant or, with `sharedChain`, of the configurations. */
  seal(tenantId: number, at: number): Promise<void>
  /** Compares logs and findings with the chain, also while an engine runs. @param heads hashes to look for. */
  verifyChain(tenantId: number, heads?: readonly string[]): Promise<ChainVerification>
}
