import { hash } from 'node:crypto'
import type { Emptiness, HoldCause } from '../../model/holds.ts'
import type { Reason } from '../../model/reasons.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import { type Db, type Sql, writeWhereDue } from '../db/db.ts'
import { appendEvents } from '../event-store.ts'
import type { HoldFacts } from '../events.ts'
import { lapseAllWaivers } from '../findings/waiver-store.ts'
import { acceptPastRemovals, acceptRemovals, removableRids } from '../records/removals.ts'
import { fromJson, updateRows, upsertRow } from '../rows.ts'
import { holds } from '../schema/index.ts'
import type { HoldRow, NewHold } from './sync-port.ts'
import { raiseVersion, saveState } from './sync-states.ts'

/** Without the records, of which there may be many. */
const selectHolds = `select h.id, h.tenant_id as "tenantId", t.name as tenant, h.resource, h.reason, h.count, h.message,
    h.cause, h.raised_at as "raisedAt", h.accepted_reason as "acceptedReason", h.applied_at as "appliedAt"
  from holds h join tenants t on t.id = h.tenant_id`

const inOrder = 'order by t.name, h.resource, h.reason'

const ofScope = 'tenant_id = @tenantId and resource = @resource and reason = @reason'

async function readHolds(sql: Sql, rest: string, params: readonly unknown[]): Promise<readonly HoldRow[]> {
  const rows = await sql<Omit<HoldRow, 'cause'> & { readonly cause: string }>(`${selectHolds} ${rest}`, params)
  return rows.map((row) => ({ ...row, cause: fromJson(row.cause) as HoldCause }))
}

async function holdById(sql: Sql, id: string): Promise<HoldRow | null> {
  const [hold = null] = await readHolds(sql, 'where h.id = ?', [id])
  return hold
}

/** How a decision is applied; `coversKnown` = an accepted tenant, whose former records are all to be removed. */
interface Application {
  readonly tenantId: number
  readonly at: number
  readonly coversKnown: boolean
}

function emptinessOf({ reason, cause }: HoldRow): Emptiness | null {
  return reason === 'suspect_empty' && 'emptiness' in cause ? (cause.emptiness ?? null) : null
}

/** The records whose removal is held: all live ones during a hold for an empty list. */
async function heldRids(sql: Sql, hold: HoldRow): Promise<readonly number[]> {
  const { id, tenantId, resource, reason } = hold
  if (resource === 'all') return []
  if (['list', 'replaced'].includes(emptinessOf(hold) ?? '')) return removableRids(sql, { tenantId, resource })
  const [text = '[]'] = await sql<string>('select rids from holds where id = ?', [id], 'values')
  const rids = fromJson(text) as readonly number[]
  if (reason !== 'shrink_held') return rids
  // A list may have returned some since.
  const absent = `select rid from records where ${sql.dialect.isIn('rid')} and (absent > 0 or missing_since is not null)`
  return sql<number>(absent, [rids], 'values')
}

/** Holds and what operators decide about them. */
export function holdStore(db: Db) {
  const { isIn } = db.dialect

  async function apply(sql: Sql, hold: HoldRow, { tenantId, at, coversKnown }: Application) {
    const { id, reason, resource } = hold
    if (resource !== 'all' && (reason === 'shrink_held' || reason === 'suspect_empty')) {
      await acceptRemovals(sql, await heldRids(sql, hold))
      if (reason === 'suspect_empty') await saveState(sql, tenantId, resource, { emptyAccepted: emptinessOf(hold) })
    }
    if (reason !== 'tenant_changed') return
    if (resource === 'all' && coversKnown) {
      for (const one of resourceNames) await acceptRemovals(sql, await removableRids(sql, { tenantId, resource: one }))
      await acceptPastRemovals(sql, tenantId)
      await lapseAllWaivers(sql, tenantId, at)
      await sql(
        'update tenants set former_until = (select max(rid) from records where tenant_id = @tenantId) where id = @tenantId',
        [{ tenantId }],
      )
    }
    await sql('delete from holds where id = ?', [id])
  }

  const holdsOf = (tenantId?: number): Promise<readonly HoldRow[]> =>
    db.read((sql) => {
      if (tenantId === undefined) return readHolds(sql, inOrder, [])
      return readHolds(sql, `where h.tenant_id = ? ${inOrder}`, [tenantId])
    })

  return {
    holds: holdsOf,
    /** Raises or keeps a hold; its id stays while it covers the same records. */
    raiseHold: ({ tenantId, resource, reason, count, message, cause, rids = [], at }: NewHold) =>
      db.write(async (sql) => {
        const stored = JSON.stringify(cause)
        const scope = { tenantId, resource, reason }
        let raisedAt = Math.round(at)
        for (const other of await readHolds(sql, `where ${ofScope}`, [scope])) {
          // A hold with the same cause and different records keeps the earlier time, unless that hold was accepted.
          if (JSON.stringify(other.cause) === stored && other.appliedAt === null)
            raisedAt = Math.min(raisedAt, other.raisedAt)
        }
        // The id includes the time, so that the id of an ended hold does not accept a later one with the same records.
        const id = hash('sha256', JSON.stringify([tenantId, resource, reason, cause, rids, raisedAt])).slice(0, 12)
        await sql(`delete from holds where ${ofScope} and id <> @id`, [{ ...scope, id }])
        await upsertRow(sql, holds, { id, ...scope, count, message, cause, raisedAt, rids })
        const hold = await holdById(sql, id)
        if (hold === null) throw new Error('The hold was not stored')
        return hold
      }),
    liftHold: (tenantId: number, resource: ResourceName | 'all', reason: Reason) =>
      writeWhereDue(db, async (sql) => {
        const scope = [{ tenantId, resource, reason }]
        const found = await sql(`select 1 from holds where ${ofScope}`, scope)
        return found.length === 0 ? null : () => sql(`delete from holds where ${ofScope}`, scope)
      }),
    /** Accepted holds; no run has applied the decision yet. */
    pendingDecisions: async (tenantId: number): Promise<readonly HoldRow[]> =>
      (await holdsOf(tenantId)).filter(
        ({ acceptedReason, appliedAt }) => acceptedReason !== null && appliedAt === null,
      ),
    /**
     * Adds accepted removals: the ids of a hold `shrink_held` or for an announced empty page; all live ids for an
     * accepted empty list, and for `tenant_changed` with `coversKnown`. The latter also lapses all waivers, and earlier
     * tombstones no longer identify the tenant. Has no effect when the hold is gone.
     */
    applyDecision: (holdId: string, application: Application): Promise<void> =>
      db.write(async (sql) => {
        const hold = await holdById(sql, holdId)
        if (hold === null) return
        const { tenantId, at } = application
        await updateRows(sql, holds, { appliedAt: at }, 'id = ?', [holdId])
        await apply(sql, hold, application)
        for (const resource of resourceNames) await raiseVersion(sql, tenantId, resource)
        const data = application.coversKnown ? { tenant: 'other' } : {}
        await appendEvents(sql, tenantId, [{ kind: 'hold.applied', subject: holdId, at, data }])
      }),
    decide: ({
      holdId,
      reason,
      by,
      at,
    }: Pick<HoldFacts, 'reason' | 'by'> & { readonly holdId: string; readonly at: number }) =>
      db.write(async (sql) => {
        const hold = await holdById(sql, holdId)
        if (hold === null) throw new Error(`There is no hold ${holdId}`)
        const { tenantId, resource, reason: holdReason, count } = hold
        const data: HoldFacts = { resource, holdReason, count, reason, by }
        await updateRows(sql, holds, { acceptedReason: reason }, 'id = ?', [holdId])
        await appendEvents(sql, tenantId, [{ kind: 'hold.accepted', subject: holdId, at, data }])
      }),
    /** Ids of the records that accepting the hold removes; null if it names none. */
    heldRecords: (id: string) =>
      db.read(async (sql) => {
        const hold = await holdById(sql, id)
        const rids = hold === null ? [] : await heldRids(sql, hold)
        if (hold === null || hold.resource === 'all' || rids.length === 0) return null
        const text = `select key from records where ${isIn('rid')} order by key`
        return { resource: hold.resource, ids: await sql<string>(text, [rids], 'values') }
      }),
  }
}
