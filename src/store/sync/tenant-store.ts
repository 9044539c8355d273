import { eq, sql } from 'drizzle-orm'
import { identifying } from '../../resources/index.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { orm } from '../orm.ts'
import type { AdmittedPage, FindingStore, FirstRecord, SyncStore, TenantRow } from '../port.ts'
import { isLive } from '../records/record-reader.ts'
import { anyAccepted } from '../records/removals.ts'
import { tenants } from '../schema/index.ts'
import { fromJson } from '../words.ts'
import { closeRun, emptinessCode, saveState, stateRow, toSyncState } from './sync-states.ts'

type AcceptedChange = Pick<TenantRow, 'acceptedIds' | 'changeAccepted' | 'former'>

/** Earlier versions stored an array (resources that needed a complete full sync), or no ids. */
function toAcceptedChange(text: string | null): AcceptedChange {
  const none: AcceptedChange = { changeAccepted: null, former: [], acceptedIds: [] }
  if (text === null) return none
  const stored = fromJson(text) as readonly string[] | Partial<AcceptedChange>
  return Array.isArray(stored) ? { ...none, changeAccepted: stored, former: stored } : { ...none, ...stored }
}

function acceptedChangeText({ changeAccepted, former, acceptedIds }: AcceptedChange): string | null {
  if (changeAccepted === null && former.length === 0) return null
  const ids = changeAccepted === null || acceptedIds.length === 0 ? {} : { acceptedIds }
  return JSON.stringify({ changeAccepted, former, ...ids })
}

function toTenant(row: typeof tenants.$inferSelect): TenantRow {
  const { changeAccepted, admitted } = row
  return {
    ...row,
    ...toAcceptedChange(changeAccepted),
    admitted: admitted === null ? null : (fromJson(admitted) as AdmittedPage),
  }
}

const flag = (value: boolean | undefined) => (value === undefined ? undefined : Number(value))

type TenantPart = Pick<
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
  Pick<FindingStore, 'tenants' | 'firstRecords'>

export function tenantStore(database: Database): TenantPart {
  const tenantById = database.select(
    orm
      .select()
      .from(tenants)
      .where(eq(tenants.id, sql.placeholder('tenantId'))),
  )
  const newTenant = database.prepare<[string, string, number]>(
    'insert into tenants (name, base_url, created_at) values (?, ?, ?) on conflict do nothing',
  )
  const tenantByName = database.select(
    orm
      .select()
      .from(tenants)
      .where(eq(tenants.name, sql.placeholder('name'))),
  )
  const allTenants = database.select(orm.select().from(tenants).orderBy(tenants.name))
  async function tenantOf(tx: Sql, tenantId: number): Promise<TenantRow> {
    const row = await tenantById.get(tx, { tenantId })
    if (row === undefined) throw new Error(`Tenant ${tenantId} is not in the mirror`)
    return toTenant(row)
  }

  function put(tx: Sql, tenantId: number, set: Partial<typeof tenants.$inferInsert>): Promise<void> {
    return database.select(orm.update(tenants).set(set).where(eq(tenants.id, tenantId))).run(tx)
  }

  function putChange(tx: Sql, tenantId: number, change: AcceptedChange): Promise<void> {
    return put(tx, tenantId, { changeAccepted: acceptedChangeText(change) })
  }

  return {
    openTenant: (name, baseUrl, at) =>
      database.write('nothing', async (tx) => {
        await newTenant.run(tx, name, baseUrl, at)
        const row = await tenantByName.get(tx, { name })
        if (row === undefined) throw new Error('The tenant row was not stored')
        return { tenant: toTenant(row), sameOrigin: row.baseUrl === baseUrl }
      }),
    adoptBaseUrl: (tenantId, baseUrl) =>
      database.write('nothing', async (tx) => {
        const { former } = await tenantOf(tx, tenantId)
        // Earlier acceptances belong to the tenant at the earlier address.
        const changeAccepted = acceptedChangeText({ changeAccepted: null, former, acceptedIds: [] })
        await put(tx, tenantId, {
          baseUrl,
          changeAccepted,
          acceptedCredential: null,
          deniedCredential: null,
          admitted: null,
        })
      }),
    noteTenant: (tenantId, { changeAccepted, acceptedIds, former, admitted, ...note }) =>
      database.write('nothing', async (tx) => {
        if (changeAccepted !== undefined || former !== undefined) {
          const before = await tenantOf(tx, tenantId)
          await putChange(tx, tenantId, {
            changeAccepted: changeAccepted === undefined ? before.changeAccepted : changeAccepted,
            former: former ?? before.former,
            acceptedIds: acceptedIds ?? before.acceptedIds,
          })
        }
        const set = { ...note, ...(admitted === undefined ? {} : { admitted: admitted && JSON.stringify(admitted) }) }
        if (Object.keys(set).length > 0) await put(tx, tenantId, set)
      }),
    noteOwnRecords: (tenantId, resource) =>
      database.write('nothing', async (tx) => {
        const { changeAccepted, former, acceptedIds } = await tenantOf(tx, tenantId)
        if (!former.includes(resource) || (await anyAccepted(tx, { tenantId, resource }))) return
        await putChange(tx, tenantId, {
          changeAccepted,
          former: former.filter((name) => name !== resource),
          acceptedIds,
        })
      }),
    tenant: (tenantId) => database.read((tx) => tenantOf(tx, tenantId)),
    tenants: () =>
      database.read(async (tx) => {
        return (await allTenants.all(tx)).map(toTenant)
      }),
    firstRecords: () =>
      database.read(async (tx) => {
        const found: FirstRecord[] = []
        for (const { name: resource } of identifying) {
          const rows = await tx<{ tenant: string; key: string | null }>(firstKey, [{ resource }])
          for (const { tenant, key } of rows) if (key !== null) found.push({ tenant, resource, key })
        }
        return found
      }),
    syncState: (tenantId, resource) =>
      database.read(async (tx) => {
        return toSyncState(resource, await stateRow(tx, tenantId, resource))
      }),
    noteSync: (tenantId, resource, { fullSyncOwed, incrementalPaused, emptyAccepted, ...note }) =>
      database.write('nothing', (tx) => {
        const flags = { fullSyncOwed: flag(fullSyncOwed), incrementalPaused: flag(incrementalPaused) }
        const accepted = emptyAccepted === undefined ? undefined : emptinessCode(emptyAccepted)
        return saveState(tx, tenantId, resource, { ...note, ...flags, emptyAccepted: accepted })
      }),
    closeRun: (run) => database.write('nothing', (tx) => closeRun(tx, run)),
    knowsAny: (tenantId) =>
      database.read(async (tx) => {
        return (await tx('select 1 from records where tenant_id = ? limit 1', [tenantId])).length > 0
      }),
  }
}

const firstKey = `select t.name as tenant, (select min(r.key) from records r
    where r.tenant_id = t.id and r.resource = @resource and ${isLive}) as key from tenants t`
