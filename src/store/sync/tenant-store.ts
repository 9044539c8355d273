import type { ResourceName } from '../../model/resource-names.ts'
import type { TenantRecord } from '../../model/shared-records.ts'
import { identifying } from '../../resources/index.ts'
import type { Db } from '../db/db.ts'
import { isIdentifying, isKnown, isOfIdentifyingList } from '../records/known-rows.ts'
import { isLive } from '../records/record-reader.ts'
import { isIdentified } from '../records/removals.ts'
import { type ChangeOf, insertRow, selectRows, updateRows } from '../rows.ts'
import { tenants } from '../schema/index.ts'
import type { RunClose, TenantRow } from './sync-port.ts'
import { closeRun, type StateChange, saveState, stateRow } from './sync-states.ts'

/** Tenants and their sync states. */
export function tenantStore(db: Db) {
  return {
    openTenant: (name: string, baseUrl: string, at: number) =>
      db.write(async (sql) => {
        await insertRow(sql, tenants, { name, baseUrl, createdAt: at }, 'on conflict do nothing')
        const [tenant] = await selectRows(sql, tenants, 'where name = ?', [name])
        if (tenant === undefined) throw new Error('The tenant row was not stored')
        return { tenant }
      }),
    tenant: (tenantId: number) =>
      db.read(async (sql) => {
        const [tenant] = await selectRows(sql, tenants, 'where id = ?', [tenantId])
        if (tenant === undefined) throw new Error(`Tenant ${tenantId} is not in the mirror`)
        return tenant
      }),
    tenants: () => db.read((sql) => selectRows(sql, tenants, 'order by name')),
    noteTenant: (tenantId: number, change: ChangeOf<typeof tenants>) =>
      db.write(async (sql): Promise<void> => {
        await updateRows(sql, tenants, change, 'id = ?', [tenantId])
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
    firstRecords: (): Promise<readonly TenantRecord[]> =>
      db.read(async (sql) => {
        const found: TenantRecord[] = []
        for (const { name: resource } of identifying) {
          const rows = await sql<{ tenant: string; key: string | null }>(firstKeys, [{ resource }])
          for (const { tenant, key } of rows) if (key !== null) found.push({ tenant, resource, key })
        }
        return found
      }),
    syncState: (tenantId: number, resource: ResourceName) => db.read((sql) => stateRow(sql, tenantId, resource)),
    /** Stores what the engine decides outside of a page and of the end of a run. */
    noteSync: (tenantId: number, resource: ResourceName, change: StateChange) =>
      db.write((sql) => saveState(sql, tenantId, resource, change)),
    closeRun: (run: RunClose) => db.write((sql) => closeRun(sql, run)),
  }
}

/** The change after which the mirror belongs to this address: acceptances at the earlier one end. */
export function atAddress(baseUrl: string) {
  return { baseUrl, ...noWait, changeAccepted: null, acceptedCredential: null, admitted: [] }
}

const noWait = { blockedUntil: 0, blockedForMs: null }

/** The wait that the address demanded. */
export function waitAt(baseUrl: string, row?: TenantRow): Pick<TenantRow, keyof typeof noWait> {
  return row?.baseUrl === baseUrl ? { blockedUntil: row.blockedUntil, blockedForMs: row.blockedForMs } : noWait
}

const firstKeys = `select t.name as tenant, (select min(r.key) from records r
    where r.tenant_id = t.id and r.resource = @resource and ${isLive}) as key from tenants t`
