import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database, Operations } from '../database.ts'
import type { Steps } from '../steps.ts'
import type { AuditStore } from './audit-port.ts'
import { chainOver, digestOf } from './chain.ts'
import { type AuditLog, belongsTo, logRows, logsOf, sharedChain, sharedLog, tenantLogs } from './logs.ts'
import { verifyChain } from './verify-chain.ts'

/** Most rows of an entry, and of a log in one transaction, which takes some 20 ms. */
const rowsPerEntry = 5000

export function auditStore(database: Database): Operations<AuditStore> {
  const chain = chainOver(database, logRows(database))
  const dueWhere = (logs: readonly AuditLog[], ...more: readonly string[]) => {
    const conditions = [...logs.map(hasUnsealed), ...more]
    const isDue = database.prepare<number[]>(`select 1 where ${conditions.join(' or ')}`)
    const parameters = logs.length * 2 + more.length
    return (tenantId: number) => isDue.get(...Array<number>(parameters).fill(tenantId))
  }
  const isSharedDue = dueWhere([sharedLog])
  const isTenantDue = dueWhere(tenantLogs, hasNewSharedHead)
  // A concurrent erasure also writes this row, so that PostgreSQL repeats the later transaction.
  const insistOnNoErasure = database.prepare<[number]>('update tenants set erase_before = erase_before where id = ?')
  const insistOnNoSharedErasure = database.prepare('update retention set erased_before = erased_before')

  /** @returns true if rows are left. */
  function* sealPart(tenantId: number, at: number, settled: readonly number[]): Steps<boolean> {
    if (tenantId === sharedChain) yield* insistOnNoSharedErasure.run()
    else yield* insistOnNoErasure.run(tenantId)
    let isPart = false
    for (const [i, log] of logsOf(tenantId).entries()) {
      const range = { tenantId, after: yield* chain.sealedTo(tenantId, log), to: settled[i] ?? 0, most: rowsPerEntry }
      const found = yield* digestOf(chain.rows[log], range)
      if (found.rows === 0) continue
      yield* chain.append(tenantId, { ...found, at, log, replaces: 0, differs: 0, sealedTo: found.lastId })
      isPart ||= found.rows === rowsPerEntry
    }
    if (tenantId !== sharedChain) yield* sealSharedHead(tenantId, at)
    return isPart
  }

  /** Adds the head of the shared chain, so that the tenant's head in reports also covers the configurations. */
  function* sealSharedHead(tenantId: number, at: number): Steps<void> {
    const head = yield* chain.head(sharedChain)
    const sealedTo = yield* chain.sealedTo(tenantId, sharedLog)
    if (head === null || head.sequence === sealedTo) return
    const { sequence, hash: digest } = head
    const stated = { firstId: sequence, lastId: sequence, rows: 1, digest, sealedTo: sequence }
    yield* chain.append(tenantId, { ...stated, at, log: sharedLog, replaces: 0, differs: 0 })
  }

  return {
    seal: (tenantId, at) =>
      database.run(async () => {
        const isDue = tenantId === sharedChain ? isSharedDue : isTenantDue
        if ((await database.read(() => isDue(tenantId))) === undefined) return
        const settled = await database.settledIds(logsOf(tenantId))
        if (settled === null) return
        while (await database.transact('nothing', () => sealPart(tenantId, at, settled))) await yieldToEventLoop()
      }),
    verifyChain: (tenantId, heads = []) => database.run(() => verifyChain(database, chain, { tenantId, heads })),
  }
}

const sealedTo = (log: AuditLog) =>
  `coalesce((select sealed_to from audit_chain where log = '${log}' and tenant_id = ? order by sequence desc limit 1), 0)`

/** Query that takes the tenant's id twice. */
function hasUnsealed(log: AuditLog): string {
  return `exists (select 1 from ${log} where ${belongsTo(log)} and id > ${sealedTo(log)})`
}

const hasNewSharedHead = `exists (select 1 from audit_chain where tenant_id = ${sharedChain} and sequence > ${sealedTo(sharedLog)})`
