import { createHash } from 'node:crypto'
import { and, asc, eq, isNull } from 'drizzle-orm'
import { reasons } from '../model/reasons.ts'
import { resourceNames } from '../model/resource-names.ts'
import { type Database, transact } from './database.ts'
import type { AdminStore, DecisionRow, HoldRow, SyncStore } from './port.ts'
import type { Removals } from './removal-store.ts'
import { resourceOf } from './resource-of.ts'
import { decisions, heldRecords, holds, syncStates, tenants } from './schema/index.ts'

type Part = Pick<SyncStore, 'holds' | 'raiseHold' | 'liftHold' | 'pendingDecisions' | 'applyDecision'> &
  Pick<AdminStore, 'decide'>

const scopeOf = (text: string) => (text === 'all' ? 'all' : resourceOf(text))
const reasonOf = (text: string) => reasons.find((reason) => reason === text) ?? 'internal'

/** Holds, what they cover, and the decisions of operators about them. */
export function holdStore(database: Database, removals: Removals): Part {
  const { orm } = database

  async function list(tenantId?: number): Promise<readonly HoldRow[]> {
    const rows = orm
      .select({ hold: holds, tenant: tenants.name })
      .from(holds)
      .innerJoin(tenants, eq(tenants.id, holds.tenantId))
      .where(tenantId === undefined ? undefined : eq(holds.tenantId, tenantId))
      .orderBy(asc(tenants.name), asc(holds.resource), asc(holds.reason))
      .all()
    return rows.map(({ hold, tenant }) => toHold(hold, tenant))
  }

  const toHold = (hold: typeof holds.$inferSelect, tenant: string): HoldRow => ({
    ...hold,
    tenant,
    resource: scopeOf(hold.resource),
    reason: reasonOf(hold.reason),
    cause: JSON.parse(hold.cause) as Record<string, unknown>,
  })

  const drop = (id: string) => {
    orm.delete(heldRecords).where(eq(heldRecords.holdId, id)).run()
    orm.delete(holds).where(eq(holds.id, id)).run()
  }

  const sameScope = (tenantId: number, resource: string, reason: string) =>
    and(eq(holds.tenantId, tenantId), eq(holds.resource, resource), eq(holds.reason, reason))

  function acceptAllKnown(tenantId: number): void {
    for (const resource of resourceNames) removals.accept(tenantId, resource, removals.live(tenantId, resource))
  }

  function apply(decision: DecisionRow, tenantId: number): void {
    if (decision.holdReason === 'shrink_held' && decision.resource !== 'all') {
      const held = orm.select({ rid: heldRecords.rid }).from(heldRecords).where(eq(heldRecords.holdId, decision.holdId))
      removals.accept(
        tenantId,
        decision.resource,
        held.all().map(({ rid }) => rid),
      )
    }
    if (decision.holdReason === 'suspect_empty' && decision.resource !== 'all') {
      removals.accept(tenantId, decision.resource, removals.live(tenantId, decision.resource))
      const set = { emptyAccepted: 1 }
      orm
        .insert(syncStates)
        .values({ tenantId, resource: decision.resource, ...set })
        .onConflictDoUpdate({ target: [syncStates.tenantId, syncStates.resource], set })
        .run()
    }
    if (decision.holdReason === 'tenant_changed') {
      if (decision.resource === 'all') acceptAllKnown(tenantId)
      drop(decision.holdId)
    }
  }

  return {
    holds: list,
    async raiseHold({ tenantId, resource, reason, count, message, cause, rids = [], at }) {
      return transact(database, () => {
        const held = JSON.stringify([tenantId, resource, reason, cause, rids])
        const id = createHash('sha256').update(held).digest('hex').slice(0, 12)
        const known = orm
          .select()
          .from(holds)
          .where(sameScope(tenantId, resource, reason))
          .all()
        for (const other of known) if (other.id !== id) drop(other.id)
        const values = { id, tenantId, resource, reason, count, message, cause: JSON.stringify(cause), raisedAt: at }
        orm.insert(holds).values(values).onConflictDoUpdate({ target: holds.id, set: { count, message } }).run()
        const insert = database.raw.prepare('insert or ignore into held_records (hold_id, rid) values (?, ?)')
        for (const rid of rids) insert.run(id, rid)
        const row = orm
          .select({ hold: holds, tenant: tenants.name })
          .from(holds)
          .innerJoin(tenants, eq(tenants.id, holds.tenantId))
          .where(eq(holds.id, id))
          .get()
        if (row === undefined) throw new Error('The hold was not stored')
        return toHold(row.hold, row.tenant)
      })
    },
    async liftHold(tenantId, resource, reason) {
      return transact(database, () => {
        const found = orm
          .select()
          .from(holds)
          .where(sameScope(tenantId, resource, reason))
          .all()
        for (const { id } of found) drop(id)
        return found.length > 0
      })
    },
    async pendingDecisions(tenantId) {
      const where = and(eq(decisions.tenantId, tenantId), isNull(decisions.appliedAt))
      const rows = orm.select().from(decisions).where(where).orderBy(asc(decisions.id)).all()
      return rows.map((row) => ({ ...row, resource: scopeOf(row.resource), holdReason: reasonOf(row.holdReason) }))
    },
    async applyDecision(decision, tenantId, at) {
      transact(database, () => {
        const hold = orm.select({ id: holds.id }).from(holds).where(eq(holds.id, decision.holdId)).get()
        if (hold !== undefined) apply(decision, tenantId)
        orm.update(decisions).set({ appliedAt: at }).where(eq(decisions.id, decision.id)).run()
      })
    },
    async decide({ holdId, reason, at }) {
      transact(database, () => {
        const hold = orm.select().from(holds).where(eq(holds.id, holdId)).get()
        if (hold === undefined) throw new Error(`There is no hold ${holdId}`)
        const { tenantId, resource, reason: holdReason, count } = hold
        orm.insert(decisions).values({ holdId, tenantId, resource, holdReason, count, reason, decidedAt: at }).run()
      })
    },
  }
}
