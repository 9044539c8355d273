import { eq, getTableName, sql } from 'drizzle-orm'
import type { AdmittedPage, FindingStore, SyncStore, TenantRow } from '../port.ts'
import { recordTables } from '../records/record-tables.ts'
import { quarantine, tenants } from '../schema/index.ts'
import type { Database, Operations } from '../sqlite/database.ts'
import { emptinessCode, type RunEnds, syncStateRow, syncStateWriter, toSyncState } from './sync-states.ts'

type AcceptedChange = Pick<TenantRow, 'changeAccepted' | 'former'>

/** Earlier versions stored an array: the resources that owed a complete full sync. */
function toAcceptedChange(text: string | null): AcceptedChange {
  if (text === null) return { changeAccepted: null, former: [] }
  const stored = JSON.parse(text) as readonly string[] | AcceptedChange
  return 'former' in stored ? stored : { changeAccepted: stored, former: stored }
}

function acceptedChangeText({ changeAccepted, former }: AcceptedChange): string | null {
  return changeAccepted === null && former.length === 0 ? null : JSON.stringify({ changeAccepted, former })
}

function toTenant(row: typeof tenants.$inferSelect): TenantRow {
  const { changeAccepted, admitted } = row
  return {
    ...row,
    ...toAcceptedChange(changeAccepted),
    admitted: admitted === null ? null : (JSON.parse(admitted) as AdmittedPage),
  }
}

const flag = (value: boolean | undefined) => (value === undefined ? undefined : Number(value))

type TenantPart = Operations<
  Pick<
    SyncStore,
    | 'openTenant'
    | 'adoptBaseUrl'
    | 'noteTenant'
    | 'noteOwnRecords'
    | 'tenant'
    | 'syncState'
    | 'noteSync'
    | 'closeRun'
    | 'knowsAny'
  > &
    Pick<FindingStore, 'tenants'>
>

export function tenantStore(database: Database, ends: RunEnds): TenantPart {
  const { orm } = database
  const tenantById = orm
    .select()
    .from(tenants)
    .where(eq(tenants.id, sql.placeholder('tenantId')))
    .prepare()
  const allTenants = orm.select().from(tenants).orderBy(tenants.name).prepare()
  const removalOwed = database.raw.prepare('select 1 from accepted_removals where tenant_id = ? and resource = ?')
  const stateOf = syncStateRow(database)
  const putState = syncStateWriter(database)

  function tenantOf(tenantId: number): TenantRow {
    const row = tenantById.get({ tenantId })
    if (row === undefined) throw new Error(`Tenant ${tenantId} is not in the mirror`)
    return toTenant(row)
  }

  function putChange(tenantId: number, change: AcceptedChange): void {
    orm
      .update(tenants)
      .set({ changeAccepted: acceptedChangeText(change) })
      .where(eq(tenants.id, tenantId))
      .run()
  }

  return {
    openTenant: (name, baseUrl, at) =>
      database.write('nothing', () => {
        orm.insert(tenants).values({ name, baseUrl, createdAt: at }).onConflictDoNothing().run()
        const row = orm.select().from(tenants).where(eq(tenants.name, name)).get()
        if (row === undefined) throw new Error('The tenant row was not stored')
        return { tenant: toTenant(row), sameOrigin: row.baseUrl === baseUrl }
      }),
    adoptBaseUrl: (tenantId, baseUrl) =>
      database.write('nothing', () => {
        orm.update(tenants).set({ baseUrl }).where(eq(tenants.id, tenantId)).run()
      }),
    noteTenant: (tenantId, { changeAccepted, former, admitted, ...note }) =>
      database.write('nothing', () => {
        if (changeAccepted !== undefined || former !== undefined) {
          const before = tenantOf(tenantId)
          putChange(tenantId, {
            changeAccepted: changeAccepted === undefined ? before.changeAccepted : changeAccepted,
            former: former ?? before.former,
          })
        }
        const set = { ...note, ...(admitted === undefined ? {} : { admitted: admitted && JSON.stringify(admitted) }) }
        if (Object.keys(set).length > 0) orm.update(tenants).set(set).where(eq(tenants.id, tenantId)).run()
      }),
    noteOwnRecords: (tenantId, resource) =>
      database.write('nothing', () => {
        const { changeAccepted, former } = tenantOf(tenantId)
        if (!former.includes(resource) || removalOwed.get(tenantId, resource) !== undefined) return
        putChange(tenantId, { changeAccepted, former: former.filter((name) => name !== resource) })
      }),
    tenant: (tenantId) => database.run(() => tenantOf(tenantId)),
    tenants: () => database.run(() => allTenants.all().map(toTenant)),
    syncState: (tenantId, resource) => database.run(() => toSyncState(resource, stateOf(tenantId, resource))),
    noteSync: (tenantId, resource, { fullSyncOwed, incrementalPaused, emptyAccepted, ...note }) =>
      database.write('nothing', () => {
        const flags = { fullSyncOwed: flag(fullSyncOwed), incrementalPaused: flag(incrementalPaused) }
        const accepted = emptyAccepted === undefined ? undefined : emptinessCode(emptyAccepted)
        putState(tenantId, resource, { ...note, ...flags, emptyAccepted: accepted })
      }),
    closeRun: (run) => database.write('nothing', () => ends.close(run)),
    knowsAny: (tenantId) =>
      database.run(() => {
        for (const { table } of Object.values(recordTables)) {
          const find = `select 1 from "${getTableName(table)}" where tenant_id = ? limit 1`
          if (database.raw.prepare(find).get(tenantId) !== undefined) return true
        }
        return orm.select().from(quarantine).where(eq(quarantine.tenantId, tenantId)).get() !== undefined
      }),
  }
}
