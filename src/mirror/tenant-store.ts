import { and, eq, getTableName } from 'drizzle-orm'
import { reasons } from '../model/reasons.ts'
import { type Database, transact } from './database.ts'
import type { SyncState, SyncStore, TenantRow } from './port.ts'
import { recordTables } from './record-tables.ts'
import { quarantine, runs, syncStates, tenants } from './schema/index.ts'

export function toTenant(row: typeof tenants.$inferSelect): TenantRow {
  return { ...row, changeAccepted: row.changeAccepted === null ? null : (JSON.parse(row.changeAccepted) as string[]) }
}

type StateRow = typeof syncStates.$inferSelect

const reasonOrNull = (text: string | null) => reasons.find((reason) => reason === text) ?? null

export function toSyncState(resource: SyncState['resource'], row: StateRow | undefined): SyncState {
  const { pollReason = null, sweepReason = null, pollsRest = 0, emptyAccepted = 0 } = row ?? {}
  return {
    cursor: null,
    reachedEndServerTime: null,
    completeStartedAt: null,
    completeServerTime: null,
    completeDurationMs: null,
    completeRequestId: null,
    pollAttemptAt: null,
    pollSuccessAt: null,
    sweepAttemptAt: null,
    sweepSuccessAt: null,
    message: null,
    resetSweepAt: null,
    ...row,
    resource,
    pollReason: reasonOrNull(pollReason),
    sweepReason: reasonOrNull(sweepReason),
    pollsRest: pollsRest === 1,
    emptyAccepted: emptyAccepted === 1,
  }
}

type TenantPart = Pick<
  SyncStore,
  'openTenant' | 'adoptBaseUrl' | 'noteTenant' | 'tenant' | 'syncState' | 'noteSync' | 'closeRun' | 'knowsAny'
>

/** Tenants, and where the sync of each of their resources stands. */
export function tenantStore(database: Database): TenantPart {
  const { orm } = database
  const stateKey = [syncStates.tenantId, syncStates.resource]
  return {
    async openTenant(name, baseUrl, at) {
      return transact(database, () => {
        orm.insert(tenants).values({ name, baseUrl, createdAt: at }).onConflictDoNothing().run()
        const row = orm.select().from(tenants).where(eq(tenants.name, name)).get()
        if (row === undefined) throw new Error('The tenant row was not stored')
        return { tenant: toTenant(row), sameOrigin: row.baseUrl === baseUrl }
      })
    },
    async adoptBaseUrl(tenantId, baseUrl) {
      orm.update(tenants).set({ baseUrl }).where(eq(tenants.id, tenantId)).run()
    },
    async noteTenant(tenantId, { changeAccepted, ...note }) {
      const accepted =
        changeAccepted === undefined ? {} : { changeAccepted: changeAccepted && JSON.stringify(changeAccepted) }
      const set = { ...note, ...accepted }
      if (Object.keys(set).length > 0) orm.update(tenants).set(set).where(eq(tenants.id, tenantId)).run()
    },
    async tenant(tenantId) {
      const row = orm.select().from(tenants).where(eq(tenants.id, tenantId)).get()
      if (row === undefined) throw new Error(`Tenant ${tenantId} is not in the mirror`)
      return toTenant(row)
    },
    async syncState(tenantId, resource) {
      const where = and(eq(syncStates.tenantId, tenantId), eq(syncStates.resource, resource))
      return toSyncState(resource, orm.select().from(syncStates).where(where).get())
    },
    async noteSync(tenantId, resource, { pollsRest, emptyAccepted, ...note }) {
      const set = {
        ...note,
        ...(pollsRest === undefined ? {} : { pollsRest: pollsRest ? 1 : 0 }),
        ...(emptyAccepted === undefined ? {} : { emptyAccepted: emptyAccepted ? 1 : 0 }),
      }
      orm
        .insert(syncStates)
        .values({ tenantId, resource, ...set })
        .onConflictDoUpdate({ target: stateKey, set })
        .run()
    },
    async closeRun({ counts, dataAsOf, reachedEndServerTime, ...run }) {
      transact(database, () => {
        orm
          .insert(runs)
          .values({ ...run, ...counts })
          .run()
        const { tenantId, resource, mode, startedAt, outcome, reason, message } = run
        const before = orm
          .select()
          .from(syncStates)
          .where(and(eq(syncStates.tenantId, tenantId), eq(syncStates.resource, resource)))
          .get()
        const ended = outcome === 'success' ? { success: dataAsOf, reason: null } : { success: undefined, reason }
        const poll = {
          pollAttemptAt: startedAt,
          pollReason: ended.reason,
          ...(ended.success && { pollSuccessAt: Math.max(ended.success, before?.pollSuccessAt ?? 0) }),
        }
        const sweep = {
          sweepAttemptAt: startedAt,
          sweepReason: ended.reason,
          ...(ended.success && { sweepSuccessAt: ended.success }),
        }
        const both = outcome === 'success' && mode === 'sweep' ? { ...poll, ...sweep } : mode === 'sweep' ? sweep : poll
        const otherFailed = (mode === 'sweep' ? before?.pollReason : before?.sweepReason) ?? null
        const keepMessage = outcome === 'success' && mode === 'poll' && otherFailed !== null
        const reached = reachedEndServerTime === undefined ? {} : { reachedEndServerTime }
        const aborted = mode === 'sweep' ? { sweepAttemptAt: startedAt } : { pollAttemptAt: startedAt }
        const set = reason === 'aborted' ? aborted : { ...both, ...reached, ...(keepMessage ? {} : { message }) }
        orm
          .insert(syncStates)
          .values({ tenantId, resource, ...set })
          .onConflictDoUpdate({ target: stateKey, set })
          .run()
      })
    },
    async knowsAny(tenantId) {
      for (const { table } of Object.values(recordTables)) {
        const find = `select 1 from "${getTableName(table)}" where tenant_id = ? limit 1`
        if (database.raw.prepare(find).get(tenantId) !== undefined) return true
      }
      return orm.select().from(quarantine).where(eq(quarantine.tenantId, tenantId)).get() !== undefined
    },
  }
}
