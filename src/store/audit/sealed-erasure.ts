import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { chainOver, digestOf } from './chain.ts'
import { type AuditLog, beforeAnyRow, logRows, logsOf } from './logs.ts'

/** By log, the id before which rows may be erased; a log that is absent keeps all its rows. */
export type ErasedBefore = Readonly<Partial<Record<AuditLog, number>>>

export interface SealedErasure {
  /** Call after the erasure: appends an entry for each log with erased sealed rows. */
  end(tx: Sql, at: number): Promise<void>
}

interface Touched {
  readonly tenantId: number
  readonly log: AuditLog
  /** Number of the oldest digests in force whose rows may be erased. */
  readonly replaces: number
  /** True if these are all digests in force. */
  readonly isAll: boolean
  readonly to: number
  readonly rows: number
  readonly matches: boolean
}

/**
 * Compares the rows that an erasure may touch with their digests, so that the entry that replaces these states whether
 * they still matched (docs/evidence.md#proof-against-changes). Call inside the transaction of the erasure, before it.
 */
export async function beginSealedErasure(
  tx: Sql,
  database: Database,
  tenantIds: Iterable<number>,
  before: ErasedBefore,
): Promise<SealedErasure> {
  const chain = chainOver(database, logRows(database))
  const touched: Touched[] = []
  for (const tenantId of tenantIds) {
    const state = await chain.state(tx, tenantId)
    for (const log of logsOf(tenantId)) {
      const inForce = state.inForce.get(log) ?? []
      const digests = inForce.filter(({ firstId }) => firstId < (before[log] ?? 0))
      let after = beforeAnyRow
      let matches = true
      let rows = 0
      for (const { lastId, digest, rows: sealed } of digests) {
        const range = { tenantId, after, to: lastId, most: Number.MAX_SAFE_INTEGER }
        const found = await digestOf(tx, chain.rows[log], range)
        matches &&= found.digest === digest && found.rows === sealed
        rows += found.rows
        after = lastId
      }
      const replaces = digests.length
      const isAll = replaces === inForce.length
      if (rows > 0) touched.push({ tenantId, log, replaces, isAll, to: after, rows, matches })
    }
  }
  return {
    async end(tx, at) {
      for (const { tenantId, log, replaces, isAll, to, rows, matches } of touched) {
        const range = { tenantId, after: beforeAnyRow, to, most: Number.MAX_SAFE_INTEGER }
        const left = await digestOf(tx, chain.rows[log], range)
        if (left.rows === rows) continue
        // SQLite reuses the id of an erased last row.
        const sealedTo = isAll ? left.lastId : await chain.sealedTo(tx, tenantId, log)
        await chain.append(tx, tenantId, { ...left, at, log, replaces, differs: matches ? 0 : 1, sealedTo })
      }
    },
  }
}
