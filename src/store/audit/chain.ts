import { createHash, hash } from 'node:crypto'
import { canonicalText } from '../copy/contents.ts'
import type { Database, Statement } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { type AuditLog, type LogRange, type LogRow, type LogRows, logsOf, sharedLog } from './logs.ts'

/** Times are in milliseconds since the epoch. The table `audit_chain` describes the members. */
export interface ChainEntry {
  readonly sequence: number
  readonly at: number
  readonly log: AuditLog
  readonly firstId: number
  readonly lastId: number
  readonly rows: number
  readonly digest: string
  readonly replaces: number
  readonly differs: number
  readonly sealedTo: number
  readonly hash: string
}

export type NewEntry = Omit<ChainEntry, 'sequence' | 'hash'>
export type ChainHead = Pick<ChainEntry, 'sequence' | 'at' | 'hash'>

/** @param before hash of the previous entry; empty for the first one. */
function hashOf(tenantId: number, before: string, entry: Omit<ChainEntry, 'hash'>): string {
  const { sequence, at, log, firstId, lastId, rows, digest, replaces, differs, sealedTo } = entry
  const content = [before, tenantId, sequence, at, log, firstId, lastId, rows, digest, replaces, differs, sealedTo]
  return hash('sha256', JSON.stringify(content))
}

/** Digest of rows in the order of their ids. */
export class RowsDigest {
  readonly #hash = createHash('sha256')
  rows = 0
  firstId = 0
  lastId = 0

  add(row: LogRow): void {
    const [id] = row
    if (this.rows === 0) this.firstId = id
    this.lastId = id
    this.rows++
    this.#hash.update(`${canonicalText(row)}\n`)
  }

  /** The result; no row can be added afterwards. */
  end(): Pick<ChainEntry, 'firstId' | 'lastId' | 'rows' | 'digest'> {
    const { firstId, lastId, rows } = this
    return { firstId, lastId, rows, digest: this.#hash.digest('hex') }
  }
}

const rowsAtOnce = 500

/** Digest of at most `most` rows, read some hundred at a time. */
export async function digestOf(tx: Sql, read: LogRows[AuditLog], range: LogRange) {
  const digest = new RowsDigest()
  let { after } = range
  while (digest.rows < range.most) {
    const most = Math.min(rowsAtOnce, range.most - digest.rows)
    const rows: LogRow[] = await read(tx, { ...range, after, most })
    for (const row of rows) digest.add(row)
    if (rows.length < most) break
    after = digest.lastId
  }
  return digest.end()
}

/** An entry whose predecessor does not fit, or whose hash is wrong. */
export interface BrokenEntry {
  readonly entry: ChainEntry
  /** Number of entries missing before it. */
  readonly missing: number
}

/** A digest in force, and the time of the sealing before it; null = none, or unknown after an erasure. */
export interface DigestInForce extends ChainEntry {
  readonly sealedBefore: number | null
}

/** State of a chain, built by reading its entries from the first one on. */
export class ChainState {
  readonly #tenantId: number
  readonly broken: BrokenEntry[] = []
  /** Entries that record that rows did not match when an erasure began. */
  readonly differing: ChainEntry[] = []
  /** By log, the digests that rows must match, the oldest first. */
  readonly inForce: ReadonlyMap<AuditLog, DigestInForce[]>
  /** Entries of a tenant that state the head of the shared chain. */
  readonly sharedHeads: ChainEntry[] = []
  entries = 0
  firstAt: number | null = null
  head: ChainEntry | null = null
  erasedRows = 0
  replacements = 0
  /** Times of the last two evaluations that sealed rows. */
  #sealedAt: number | null = null
  #sealedBefore: number | null = null

  constructor(tenantId: number) {
    this.#tenantId = tenantId
    this.inForce = new Map(logsOf(tenantId).map((log) => [log, []]))
  }

  add(entry: ChainEntry): void {
    const before = this.head
    const missing = entry.sequence - (before?.sequence ?? 0) - 1
    if (entry.hash !== hashOf(this.#tenantId, before?.hash ?? '', entry)) this.broken.push({ entry, missing })
    this.firstAt ??= entry.at
    this.head = entry
    this.entries++
    if (entry.differs === 1) this.differing.push(entry)
    if (entry.replaces === 0 && entry.at !== this.#sealedAt)
      [this.#sealedBefore, this.#sealedAt] = [this.#sealedAt, entry.at]
    const digests = this.inForce.get(entry.log)
    // A name that is not a log's belongs to a changed entry.
    if (digests === undefined) {
      if (entry.log === sharedLog) this.sharedHeads.push(entry)
    } else if (entry.replaces === 0) digests.push({ ...entry, sealedBefore: this.#sealedBefore })
    else {
      const replaced = digests.splice(0, entry.replaces)
      this.erasedRows += replaced.reduce((sum, { rows }) => sum + rows, -entry.rows)
      this.replacements++
      digests.unshift({ ...entry, sealedBefore: null })
    }
  }
}

const columns = `sequence, at, log, first_id as "firstId", last_id as "lastId", row_count as "rows", digest, replaces,
  differs, sealed_to as "sealedTo", hash`

export const entriesAtOnce = 1000

/** Run the steps of writing methods inside a transaction. */
export interface Chain {
  readonly rows: LogRows
  readonly entriesAfter: Statement<[tenantId: number, sequence: number], ChainEntry>
  head(tx: Sql, tenantId: number): Promise<ChainHead | null>
  hashAt(tx: Sql, tenantId: number, sequence: number): Promise<string | undefined>
  sealedTo(tx: Sql, tenantId: number, log: AuditLog): Promise<number>
  state(tx: Sql, tenantId: number): Promise<ChainState>
  append(tx: Sql, tenantId: number, entry: NewEntry): Promise<void>
}

export function chainOver(database: Database, rows: LogRows): Chain {
  const entriesAfter = database.prepare<[number, number], ChainEntry>(
    `select ${columns} from audit_chain where tenant_id = ? and sequence > ? order by sequence limit ${entriesAtOnce}`,
  )
  const last = database.prepare<[number], ChainHead>(
    'select sequence, at, hash from audit_chain where tenant_id = ? order by sequence desc limit 1',
  )
  const lastOf = database.prepareValues<[number, AuditLog], number>(
    'select sealed_to from audit_chain where tenant_id = ? and log = ? order by sequence desc limit 1',
  )
  const hashAt = database.prepareValues<[number, number], string>(
    'select hash from audit_chain where tenant_id = ? and sequence = ?',
  )
  const insert = database.prepare(
    `insert into audit_chain (tenant_id, sequence, at, log, first_id, last_id, row_count, digest, replaces, differs,
       sealed_to, hash) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const chain: Chain = {
    rows,
    entriesAfter,
    async head(tx, tenantId) {
      return (await last.get(tx, tenantId)) ?? null
    },
    hashAt: (tx, tenantId, sequence) => hashAt.get(tx, tenantId, sequence),
    async sealedTo(tx, tenantId, log) {
      return (await lastOf.get(tx, tenantId, log)) ?? 0
    },
    async state(tx, tenantId) {
      const state = new ChainState(tenantId)
      for (;;) {
        const entries = await entriesAfter.all(tx, tenantId, state.head?.sequence ?? 0)
        for (const entry of entries) state.add(entry)
        if (entries.length < entriesAtOnce) return state
      }
    },
    async append(tx, tenantId, { at, ...given }) {
      const before = await chain.head(tx, tenantId)
      const entry = { ...given, at: Math.round(at), sequence: (before?.sequence ?? 0) + 1 }
      const { sequence, log, firstId, lastId, rows: count, digest, replaces, differs, sealedTo } = entry
      const values = [sequence, entry.at, log, firstId, lastId, count, digest, replaces, differs, sealedTo]
      await insert.run(tx, tenantId, ...values, hashOf(tenantId, before?.hash ?? '', entry))
    },
  }
  return chain
}
