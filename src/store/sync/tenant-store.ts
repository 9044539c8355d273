import type { ResourceName } from '../../model/resource-names.ts'
import { identifying } from '../../resources/index.ts'
import { changedColumns, columnList } from '../columns.ts'
import type { Db } from '../db/db.ts'
import { isIdentifying, isKnown, isOfIdentifyingList } from '../records/page-changes.ts'
import { isLive } from '../records/record-reader.ts'
import { isIdentified } from '../records/removals.ts'
import { tenants } from '../schema/index.ts'
import { fromJson } from '../words.ts'
import type { RunClose, SyncState, TenantRow } from './sync-port.ts'
import { closeRun, type StateRow, saveState, stateRow, toSyncState } from './sync-states.ts'

type TenantChange = Partial<Omit<TenantRow, 'id' | 'name' | 'createdAt'>>

/** Fields of a sync state that the engine decides outside of a page and of the end of a run. */
type SyncNote = Partial<
  Pick<
    SyncState,
    | 'completeDurationMs'
    | 'completeRequestId'
    | 'completeServerTime'
    | 'completeStartedAt'
    | 'cursor'
    | 'emptyAccepted'
    | 'fullSyncOwed'
    | 'incrementalPaused'
    | 'resetFullSyncAt'
    | 'serverTimeAt'
  > &
    Pick<StateRow, 'detailsAfter'>
>

export interface FirstRecord {
  readonly tenant: string
  readonly resource: ResourceName
  readonly key: string
}

type StoredTenant = typeof tenants.$inferSelect

const selectTenants = `select ${columnList(tenants)} from tenants`

function toTenant(row: StoredTenant): TenantRow {
  const json = (text: string | null) => (text === null ? null : fromJson(text))
  return {
    ...row,
    changeAccepted: json(row.changeAccepted) as TenantRow['changeAccepted'],
    acceptedIds: json(row.acceptedIds) as TenantRow['acceptedIds'],
    former: json(row.former) as TenantRow['former'],
    admitted: (json(row.admitted) ?? []) as TenantRow['admitted'],
  }
}

/** Tenants and their sync states. */
export function tenantStore(db: Db) {
  return {
    openTenant: (name: string, baseUrl: string, at: number) =>
      db.write(async (sql) => {
        const text = 'insert into tenants (name, base_url, created_at) values (?, ?, ?) on conflict do nothing'
        await sql(text, [name, baseUrl, at])
        const [row] = await sql<StoredTenant>(`${selectTenants} where name = ?`, [name])
        if (row === undefined) throw new Error('The tenant row was not stored')
        return { tenant: toTenant(row), sameOrigin: row.baseUrl === baseUrl }
      }),
    tenant: (tenantId: number) =>
      db.read(async (sql) => {
        const [row] = await sql<StoredTenant>(`${selectTenants} where id = ?`, [tenantId])
        if (row === undefined) throw new Error(`Tenant ${tenantId} is not in the mirror`)
        return toTenant(row)
      }),
    tenants: (): Promise<readonly TenantRow[]> =>
      db.read(async (sql) => (await sql<StoredTenant>(`${selectTenants} order by name`)).map(toTenant)),
    noteTenant: (tenantId: number, change: TenantChange) =>
      db.write(async (sql) => {
        const { names, values } = changedColumns(tenants, change)
        const set = names.map((name) => `${name} = ?`).join(', ')
        if (set !== '') await sql(`update tenants set ${set} where id = ?`, [...values, tenantId])
      }),
    /** True if the mirror knows an id of the tenant: live, tombstoned or quarantined, not of a former tenant. */
    knowsAny: (tenantId: number) =>
      db.read(async (sql) => {
        const text = `select 1 from records where tenant_id = @tenantId and ${isIdentified} and ${isKnown} limit 1`
        return (await sql(text, [{ tenantId }])).length > 0
      }),
    /** The records of a list that identify the tenant: live ones, else tombstones; null = none. */
    identifying: (tenantId: number, resource: ResourceName) =>
      db.read(async (sql) => {
        const has = async (condition: string) => {
          const text = `select 1 from records where tenant_id = @tenantId and resource = @resource and ${isIdentifying}
            and ${condition} limit 1`
          return (await sql(text, [{ tenantId, resource }])).length > 0
        }
        if (await has('removed_at is null')) return 'live'
        return (await has('removed_at is not null')) ? 'removed' : null
      }),
    /** When the first record that identifies the tenant was seen; Infinity without one. */
    identifiedSince: (tenantId: number) =>
      db.read(async (sql) => {
        const text = `select min(first_seen_at) from records where tenant_id = @tenantId and ${isOfIdentifyingList}
          and ${isIdentifying}`
        const [since] = await sql<number | null>(text, [{ tenantId }], 'values')
        return since ?? Number.POSITIVE_INFINITY
      }),
    /**
     * The live record with the first id, of each list whose ids exist in one tenant only: two configured tenants that
     * are the same one share it.
     */
    firstRecords: (): Promise<readonly FirstRecord[]> =>
      db.read(async (sql) => {
        const found: FirstRecord[] = []
        for (const { name: resource } of identifying) {
          const rows = await sql<{ tenant: string; key: string | null }>(firstKeys, [{ resource }])
          for (const { tenant, key } of rows) if (key !== null) found.push({ tenant, resource, key })
        }
        return found
      }),
    syncState: (tenantId: number, resource: ResourceName) =>
      db.read(async (sql) => toSyncState(await stateRow(sql, tenantId, resource))),
    noteSync: (tenantId: number, resource: ResourceName, note: SyncNote) =>
      db.write((sql) => saveState(sql, tenantId, resource, note)),
    closeRun: (run: RunClose) => db.write((sql) => closeRun(sql, run)),
    liveCount: (tenantId: number, resource: ResourceName) =>
      db.read(async (sql) => (await stateRow(sql, tenantId, resource)).live),
  }
}

/** The change after which the mirror belongs to this address: acceptances at the earlier one end. */
export function atAddress(baseUrl: string) {
  return { baseUrl, changeAccepted: null, acceptedCredential: null, deniedCredential: null, admitted: [] }
}

const firstKeys = `select t.name as tenant, (select min(r.key) from records r
    where r.tenant_id = t.id and r.resource = @resource and ${isLive}) as key from tenants t`
