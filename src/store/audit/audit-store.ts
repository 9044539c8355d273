import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import type { AuditStore } from './audit-port.ts'
import { chainOver, digestOf } from './chain.ts'
import { type AuditLog, belongsTo, logRows, logsOf, sharedChain, sharedLog, tenantLogs } from './logs.ts'
import { verifyChain } from './verify-chain.ts'

/** Most rows of an entry, and of a log in one transaction, which takes some 20 ms. */
const rowsPerEntry = 5000

export function auditStore(database: Database): AuditStore {
  const chain = chainOver(database, logRows(database))
  const dueWhere = (logs: readonly AuditLog[], ...more: readonly string[]) => {
    const conditions = [...logs.map(hasUnsealed), ...more]
    const isDue = database.prepare<number[]>(`select 1 where ${conditions.join(' or ')}`)
    const parameters = logs.length * 2 + more.length
    return (tx: Sql, tenantId: number) => isDue.get(tx, ...Array<number>(parameters).fill(tenantId))
  }
  const isSharedDue = dueWhere([sharedLog])
  const isTenantDue = dueWhere(tenantLogs, hasNewSharedHead)
  // A concurrent erasure also writes this row, so that PostgreSQL repeats the later transaction.
  const insistOnNoErasure = database.prepare<[number]>('update tenants set erase_before = erase_before where id = ?')
  const insistOnNoSharedErasure = database.prepare('update retention set erased_before = erased_before')

  /** @returns true if rows are left. */
  async function sealPart(tx: Sql, tenantId: number, at: number, settled: readonly number[]): Promise<boolean> {
    if (tenantId === sharedChain) await insistOnNoSharedErasure.run(tx)
    else await insistOnNoErasure.run(tx, tenantId)
    let isPart = false
    for (const [i, log] of logsOf(tenantId).entries()) {
      const range = {
        tenantId,
        after: await chain.sealedTo(tx, tenantId, log),
        to: settled[i] ?? 0,
        most: rowsPerEntry,
      }
      const found = await digestOf(tx, chain.rows[log], range)
      if (found.rows === 0) continue
      await chain.append(tx, tenantId, { ...found, at, log, replaces: 0, differs: 0, sealedTo: found.lastId })
      isPart ||= found.rows === rowsPerEntry
    }
    if (tenantId !== sharedChain) await sealSharedHead(tx, tenantId, at)
    return isPart
  }

  /** Adds the head of the shared chain, so that the tenant's head in reports also covers the configurations. */
  async function sealSharedHead(tx: Sql, tenantId: number, at: number): Promise<void> {
    const head = await chain.head(tx, sharedChain)
    const sealedTo = await chain.sealedTo(tx, tenantId, sharedLog)
    if (head === null || head.sequence === sealedTo) return
    const { sequence, hash: digest } = head
    const stated = { firstId: sequence, lastId: sequence, rows: 1, digest, sealedTo: sequence }
    await chain.append(tx, tenantId, { ...stated, at, log: sharedLog, replaces: 0, differs: 0 })
  }

  return {
    seal: async (tenantId, at) => {
      const isDue = tenantId === sharedChain ? isSharedDue : isTenantDue
      if ((await database.read((tx) => isDue(tx, tenantId))) === undefined) return
      const settled = await database.settledIds(logsOf(tenantId))
      if (settled === null) return
      while (await database.write('nothing', (tx) => sealPart(tx, tenantId, at, settled))) await yieldToEventLoop()
    },
    verifyChain: (tenantId, heads = []) => verifyChain(database, chain, { tenantId, heads }),
  }
}

const sealedTo = (log: AuditLog) =>
  `coalesce((select sealed_to from audit_chain where log = '${log}' and tenant_id = ? order by sequence desc limit 1), 0)`

/** Query that takes the tenant's id twice. */
function hasUnsealed(log: AuditLog): string {
  return `exists (select 1 from ${log} where ${belongsTo(log)} and id > ${sealedTo(log)})`
}

const hasNewSharedHead = `exists (select 1 from audit_chain where tenant_id = ${sharedChain} and sequence > ${sealedTo(sharedLog)})`
