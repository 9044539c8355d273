import { createHash } from 'node:crypto'
import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { type Emptiness, emptinesses } from '../../model/emptiness.ts'
import { reasons } from '../../model/reasons.ts'
import { resourceNames } from '../../model/resource-names.ts'
import { anotherTenant } from '../findings/waiver-store.ts'
import type { AdminStore, DecisionRow, HoldRow, SyncStore } from '../port.ts'
import { oneOf } from '../records/record-codec.ts'
import type { Removals } from '../records/removal-store.ts'
import { decisions, heldRecords, holds, tenants } from '../schema/index.ts'
import type { Database, Operations } from '../sqlite/database.ts'
import { emptinessCode, syncStateWriter } from './sync-states.ts'

type Part = Operations<
  Pick<SyncStore, 'holds' | 'raiseHold' | 'liftHold' | 'pendingDecisions' | 'applyDecision'> &
    Pick<AdminStore, 'decide'>
>

type Application = Parameters<SyncStore['applyDecision']>[1]

const scopeOf = (text: string) => (text === 'all' ? 'all' : oneOf(resourceNames, text))
/** Holds stored by versions without a cause are for empty lists. */
function emptinessOf(cause: string): Emptiness {
  const { emptiness } = JSON.parse(cause) as { readonly emptiness?: unknown }
  return emptinesses.find((name) => name === emptiness) ?? 'list'
}

const reasonOf = (text: string) => reasons.find((reason) => reason === text) ?? 'internal'

export function holdStore(database: Database, removals: Removals): Part {
  const { orm } = database
  const putState = syncStateWriter(database)
  const endAcceptances = database.raw.prepare(anotherTenant)
  const tenantId = sql.placeholder('tenantId')
  const listed = (where?: SQL) =>
    orm
      .select({ hold: holds, tenant: tenants.name })
      .from(holds)
      .innerJoin(tenants, eq(tenants.id, holds.tenantId))
      .where(where)
      .orderBy(asc(tenants.name), asc(holds.resource), asc(holds.reason))
      .prepare()
  const [allHolds, holdsOf] = [listed(), listed(eq(holds.tenantId, tenantId))]
  const ofScope = orm
    .select({ id: holds.id, cause: holds.cause, raisedAt: holds.raisedAt })
    .from(holds)
    .where(
      and(
        eq(holds.tenantId, tenantId),
        eq(holds.resource, sql.placeholder('resource')),
        eq(holds.reason, sql.placeholder('reason')),
      ),
    )
    .prepare()
  const pending = orm
    .select()
    .from(decisions)
    .where(and(eq(decisions.tenantId, tenantId), isNull(decisions.appliedAt)))
    .orderBy(asc(decisions.id))
    .prepare()

  const put = database.raw.prepare(
    `insert into holds (id, tenant_id, resource, reason, count, message, cause, raised_at) values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set count = excluded.count, message = excluded.message`,
  )
  const putRecord = database.raw.prepare('insert into held_records (hold_id, rid) values (?, ?) on conflict do nothing')

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

  function acceptAllKnown(tenantId: number): void {
    for (const resource of resourceNames) removals.accept(tenantId, resource, removals.removable(tenantId, resource))
  }

  function apply(decision: DecisionRow, cause: string, { tenantId, at, coversKnown }: Application): void {
    const { holdReason, resource, holdId } = decision
    if (resource !== 'all' && (holdReason === 'shrink_held' || holdReason === 'suspect_empty')) {
      const held = orm.select({ rid: heldRecords.rid }).from(heldRecords).where(eq(heldRecords.holdId, holdId)).all()
      const emptiness = holdReason === 'suspect_empty' ? emptinessOf(cause) : null
      // An empty list lacks every removable record.
      const rids = emptiness === 'list' ? removals.removable(tenantId, resource) : held.map(({ rid }) => rid)
      removals.accept(tenantId, resource, rids)
      if (emptiness !== null) putState(tenantId, resource, { emptyAccepted: emptinessCode(emptiness) })
    }
    if (decision.holdReason === 'tenant_changed') {
      if (decision.resource === 'all' && coversKnown) {
        acceptAllKnown(tenantId)
        removals.forgetRecent(tenantId)
        endAcceptances.run({ tenantId, at })
        orm.update(tenants).set({ knownSince: at }).where(eq(tenants.id, tenantId)).run()
      }
      drop(decision.holdId)
    }
  }

  return {
    holds: (tenantId) =>
      database.run(() => {
        const rows = tenantId === undefined ? allHolds.all() : holdsOf.all({ tenantId })
        return rows.map(({ hold, tenant }) => toHold(hold, tenant))
      }),
    raiseHold: ({ tenantId, resource, reason, count, message, cause, rids = [], at }) =>
      database.write('nothing', () => {
        const held = JSON.stringify([tenantId, resource, reason, cause, rids])
        const id = createHash('sha256').update(held).digest('hex').slice(0, 12)
        const text = JSON.stringify(cause)
        let raisedAt = at
        for (const other of ofScope.all({ tenantId, resource, reason })) {
          // A hold with the same cause and other records keeps the earlier time.
          if (other.cause === text) raisedAt = Math.min(raisedAt, other.raisedAt)
          if (other.id !== id) drop(other.id)
        }
        put.run(id, tenantId, resource, reason, count, message, text, raisedAt)
        for (const rid of rids) putRecord.run(id, rid)
        const row = orm
          .select({ hold: holds, tenant: tenants.name })
          .from(holds)
          .innerJoin(tenants, eq(tenants.id, holds.tenantId))
          .where(eq(holds.id, id))
          .get()
        if (row === undefined) throw new Error('The hold was not stored')
        return toHold(row.hold, row.tenant)
      }),
    liftHold: (tenantId, resource, reason) =>
      database.write('nothing', () => {
        const found = ofScope.all({ tenantId, resource, reason })
        for (const { id } of found) drop(id)
        return found.length > 0
      }),
    pendingDecisions: (tenantId) =>
      database.run(() =>
        pending
          .all({ tenantId })
          .map((row) => ({ ...row, resource: scopeOf(row.resource), holdReason: reasonOf(row.holdReason) })),
      ),
    applyDecision: (decision, application) =>
      database.write('everything', () => {
        const hold = orm.select({ cause: holds.cause }).from(holds).where(eq(holds.id, decision.holdId)).get()
        if (hold !== undefined) apply(decision, hold.cause, application)
        orm.update(decisions).set({ appliedAt: application.at }).where(eq(decisions.id, decision.id)).run()
      }),
    decide: ({ holdId, reason, at }) =>
      database.write('nothing', () => {
        const hold = orm.select().from(holds).where(eq(holds.id, holdId)).get()
        if (hold === undefined) throw new Error(`There is no hold ${holdId}`)
        const { tenantId, resource, reason: holdReason, count } = hold
        orm.insert(decisions).values({ holdId, tenantId, resource, holdReason, count, reason, decidedAt: at }).run()
      }),
  }
}
