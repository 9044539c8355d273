import { createHash } from 'node:crypto'
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { type Emptiness, emptinesses } from '../../model/emptiness.ts'
import type { HoldCause } from '../../model/hold-cause.ts'
import { reasons } from '../../model/reasons.ts'
import { resourceNames } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { eventAppender, type HoldFacts } from '../event-store.ts'
import { waiverWriter } from '../findings/waiver-store.ts'
import { orm } from '../orm.ts'
import type { AdminStore, DecisionRow, HoldRow, SyncStore } from '../port.ts'
import { acceptPastRemovals, acceptRemovals, removableRids } from '../records/removals.ts'
import { holds, tenants } from '../schema/index.ts'
import { fromJson, oneOf } from '../words.ts'
import { emptinessCode, saveState } from './sync-states.ts'

type Part = Pick<SyncStore, 'holds' | 'raiseHold' | 'liftHold' | 'pendingDecisions' | 'applyDecision'> &
  Pick<AdminStore, 'decide'>

type Application = Parameters<SyncStore['applyDecision']>[1]

const scopeOf = (text: string) => (text === 'all' ? 'all' : oneOf(resourceNames, text))
/** A hold without a cause, from an earlier version, is for an empty list. */
function emptinessOf(cause: string): Emptiness {
  const { emptiness } = fromJson(cause) as { readonly emptiness?: unknown }
  return emptinesses.find((name) => name === emptiness) ?? 'list'
}

const reasonOf = (text: string) => reasons.find((reason) => reason === text) ?? 'internal'

export function holdStore(database: Database): Part {
  const append = eventAppender(database)
  const waivers = waiverWriter(database)
  const tenantId = sql.placeholder('tenantId')
  const listed = (where?: SQL) =>
    database.select(
      orm
        .select({ hold: holds, tenant: tenants.name })
        .from(holds)
        .innerJoin(tenants, eq(tenants.id, holds.tenantId))
        .where(where)
        .orderBy(asc(tenants.name), asc(holds.resource), asc(holds.reason)),
    )
  const [allHolds, holdsOf] = [listed(), listed(eq(holds.tenantId, tenantId))]
  const holdOf = listed(eq(holds.id, sql.placeholder('id')))
  const ofScope = database.select(
    orm
      .select({ id: holds.id, cause: holds.cause, raisedAt: holds.raisedAt })
      .from(holds)
      .where(
        and(
          eq(holds.tenantId, tenantId),
          eq(holds.resource, sql.placeholder('resource')),
          eq(holds.reason, sql.placeholder('reason')),
        ),
      ),
  )
  const isApplied = `exists (select 1 from events a where a.tenant_id = e.tenant_id and a.kind = 'hold.applied'
    and a.subject = e.subject and a.id > e.id)`
  const pending = database.prepare<[number], { id: number; holdId: string; data: string }>(
    `select id, subject as "holdId", data from events e where tenant_id = ? and kind = 'hold.accepted' and not ${isApplied}
     order by +id`,
  )
  const wasApplied = database.prepareValues<[number, string], number>(
    `select 1 from events where tenant_id = ? and kind = 'hold.applied' and subject = ? limit 1`,
  )
  const heldBy = database.prepareValues<[string], number>('select rid from held_records where hold_id = ?')
  const dropRecords = database.prepare<[string]>('delete from held_records where hold_id = ?')
  const dropHold = database.prepare<[string]>('delete from holds where id = ?')
  const knownFrom = database.prepare<[number, number]>('update tenants set known_since = ? where id = ?')

  const put = database.prepare<[string, number, string, string, number, string, string, number]>(
    `insert into holds (id, tenant_id, resource, reason, count, message, cause, raised_at) values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set count = excluded.count, message = excluded.message`,
  )
  const putRecord = database.prepare<[string, number]>(
    'insert into held_records (hold_id, rid) values (?, ?) on conflict do nothing',
  )

  const toHold = (hold: typeof holds.$inferSelect, tenant: string): HoldRow => ({
    ...hold,
    tenant,
    resource: scopeOf(hold.resource),
    reason: reasonOf(hold.reason),
    cause: fromJson(hold.cause) as HoldCause,
  })

  async function rowsOf(
    listed: Promise<readonly { hold: typeof holds.$inferSelect; tenant: string }[]>,
  ): Promise<HoldRow[]> {
    return (await listed).map(({ hold, tenant }) => toHold(hold, tenant))
  }

  async function drop(tx: Sql, id: string): Promise<void> {
    await dropRecords.run(tx, id)
    await dropHold.run(tx, id)
  }

  async function acceptAllKnown(tx: Sql, tenantId: number): Promise<void> {
    for (const resource of resourceNames)
      await acceptRemovals(tx, database, await removableRids(tx, { tenantId, resource }))
  }

  async function apply(
    tx: Sql,
    decision: DecisionRow,
    cause: string,
    { tenantId, at, coversKnown }: Application,
  ): Promise<void> {
    const { holdReason, resource, holdId } = decision
    if (resource !== 'all' && (holdReason === 'shrink_held' || holdReason === 'suspect_empty')) {
      const emptiness = holdReason === 'suspect_empty' ? emptinessOf(cause) : null
      // A hold for an empty list covers every removable record.
      const lacksAll = emptiness === 'list'
      const rids = lacksAll ? await removableRids(tx, { tenantId, resource }) : await heldBy.all(tx, holdId)
      await acceptRemovals(tx, database, rids)
      if (emptiness !== null) await saveState(tx, tenantId, resource, { emptyAccepted: emptinessCode(emptiness) })
    }
    if (decision.holdReason === 'tenant_changed') {
      if (decision.resource === 'all' && coversKnown) {
        await acceptAllKnown(tx, tenantId)
        await acceptPastRemovals(tx, tenantId)
        await waivers.endAll(tx, tenantId, at)
        await knownFrom.run(tx, at, tenantId)
      }
      await drop(tx, decision.holdId)
    }
  }

  return {
    holds: (tenantId) =>
      tenantId === undefined
        ? database.read((tx) => rowsOf(allHolds.all(tx)))
        : database.read((tx) => rowsOf(holdsOf.all(tx, { tenantId }))),
    raiseHold: ({ tenantId, resource, reason, count, message, cause, rids = [], at }) =>
      database.write('nothing', async (tx) => {
        const text = JSON.stringify(cause)
        const others = await ofScope.all(tx, { tenantId, resource, reason })
        const earlier: number[] = []
        for (const other of others) {
          // A hold with the same cause and different records keeps the earlier time, unless that hold was accepted.
          if (other.cause === text && (await wasApplied.get(tx, tenantId, other.id)) === undefined)
            earlier.push(other.raisedAt)
        }
        const raisedAt = Math.min(Math.round(at), ...earlier)
        // The id includes the time, so that the id of an ended hold does not accept a later one with the same records.
        const held = JSON.stringify([tenantId, resource, reason, cause, rids, raisedAt])
        const id = createHash('sha256').update(held).digest('hex').slice(0, 12)
        for (const other of others) if (other.id !== id) await drop(tx, other.id)
        await put.run(tx, id, tenantId, resource, reason, count, message, text, raisedAt)
        for (const rid of rids) await putRecord.run(tx, id, rid)
        const row = await holdOf.get(tx, { id })
        if (row === undefined) throw new Error('The hold was not stored')
        return toHold(row.hold, row.tenant)
      }),
    liftHold: (tenantId, resource, reason) =>
      database.write('nothing', async (tx) => {
        const found = await ofScope.all(tx, { tenantId, resource, reason })
        for (const { id } of found) await drop(tx, id)
        return found.length > 0
      }),
    pendingDecisions: (tenantId) =>
      database.read(async (tx) => {
        return (await pending.all(tx, tenantId)).map(({ id, holdId, data }) => {
          const { resource, holdReason, reason } = fromJson(data) as HoldFacts
          return { id, holdId, resource: scopeOf(resource), holdReason: reasonOf(holdReason), reason }
        })
      }),
    applyDecision: (decision, application) =>
      database.write('everything', async (tx) => {
        const row = await holdOf.get(tx, { id: decision.holdId })
        if (row !== undefined) await apply(tx, decision, row.hold.cause, application)
        const { tenantId, at } = application
        await append(tx, tenantId, [{ kind: 'hold.applied', subject: decision.holdId, at, data: {} }])
      }),
    decide: ({ holdId, reason, at }) =>
      database.write('nothing', async (tx) => {
        const row = await holdOf.get(tx, { id: holdId })
        if (row === undefined) throw new Error(`There is no hold ${holdId}`)
        const { tenantId, resource, reason: holdReason, count } = row.hold
        const data: HoldFacts = { resource, holdReason, count, reason }
        await append(tx, tenantId, [{ kind: 'hold.accepted', subject: holdId, at, data }])
      }),
  }
}
