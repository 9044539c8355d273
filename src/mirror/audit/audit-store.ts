import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database, Operations } from '../database.ts'
import type { Steps } from '../steps.ts'
import type { AuditStore } from './audit-port.ts'
import { chainOver, digestOf } from './chain.ts'
import { auditLogNames, logRows } from './logs.ts'
import { verifyChain } from './verify-chain.ts'

/** Rows of an entry, and of a log in one transaction: some 20 ms. */
const rowsPerEntry = 5000

export function auditStore(database: Database): Operations<AuditStore> {
  const chain = chainOver(database, logRows(database))
  const unsealed = auditLogNames.map(hasUnsealed)
  const isDue = database.prepare<number[]>(`select 1 where ${unsealed.join(' or ')}`)
  // An erasure that is under way writes this row as well: PostgreSQL then runs the later transaction again.
  const insistOnNoErasure = database.prepare<[number]>('update tenants set erase_before = erase_before where id = ?')

  /** @returns true when rows are left. */
  function* sealPart(tenantId: number, at: number, settled: readonly number[]): Steps<boolean> {
    yield* insistOnNoErasure.run(tenantId)
    let isPart = false
    for (const [i, log] of auditLogNames.entries()) {
      const range = { tenantId, after: yield* chain.sealedTo(tenantId, log), to: settled[i] ?? 0, most: rowsPerEntry }
      const found = yield* digestOf(chain.rows[log], range)
      if (found.rows === 0) continue
      yield* chain.append(tenantId, { ...found, at, log, replaces: 0, differs: 0, sealedTo: found.lastId })
      isPart ||= found.rows === rowsPerEntry
    }
    return isPart
  }

  return {
    seal: (tenantId, at) =>
      database.run(async () => {
        if ((await database.read(() => isDue.get(...unsealed.flatMap(() => [tenantId, tenantId])))) === undefined)
          return
        const settled = await database.settledIds(auditLogNames)
        if (settled === null) return
        while (await database.transact('nothing', () => sealPart(tenantId, at, settled))) await yieldToEventLoop()
      }),
    verifyChain: (tenantId, heads = []) => database.run(() => verifyChain(database, chain, { tenantId, heads })),
  }
}

/** With the id of the tenant twice. */
function hasUnsealed(log: string): string {
  const last = `select sealed_to from audit_chain where log = '${log}' and tenant_id = ? order by sequence desc limit 1`
  return `exists (select 1 from ${log} where tenant_id = ? and id > coalesce((${last}), 0))`
}
