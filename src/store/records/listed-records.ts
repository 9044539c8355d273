import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { AdminStore, QuarantinedRecord } from '../port.ts'
import { fromJson, oneOf } from '../words.ts'
import { removableRids } from './removals.ts'

interface StoredHold {
  readonly tenantId: number
  readonly resource: string
  readonly reason: string
  readonly cause: string
}

type QuarantinedRow = Omit<QuarantinedRecord, 'resource'> & { readonly resource: string }

/** Lists for operators: the records of a hold, and quarantined records. */
export function listedRecords(database: Database): Pick<AdminStore, 'heldRecords' | 'quarantined'> {
  const { isIn, listOf } = database.sql
  return {
    heldRecords: (id) =>
      database.read(async (sql) => {
        const [row] = await sql<StoredHold>(
          'select tenant_id as "tenantId", resource, reason, cause from holds where id = ?',
          [id],
        )
        if (row === undefined || row.resource === 'all') return null
        const resource: ResourceName = oneOf(resourceNames, row.resource)
        const { emptiness = null } = fromJson(row.cause) as { readonly emptiness?: unknown }
        // A hold for an empty list covers every removable record.
        const coversAll = row.reason === 'suspect_empty' && (emptiness === null || emptiness === 'list')
        const rids = coversAll
          ? await removableRids(sql, { tenantId: row.tenantId, resource })
          : await sql<number>('select rid from held_records where hold_id = ?', [id], 'values')
        if (rids.length === 0) return null
        const text = `select key from records where ${isIn('rid')} order by key`
        return { resource, ids: await sql<string>(text, [listOf(rids)], 'values') }
      }),
    quarantined: () =>
      database.read(async (sql) => {
        const rows = await sql<QuarantinedRow>(
          `select t.name as tenant, r.resource, r.key as id, r.problem, r.problem_since as "since",
             r.request_id as "requestId"
           from records r join tenants t on t.id = r.tenant_id where r.problem is not null
           order by t.name, r.resource, r.problem_since, r.key`,
        )
        return rows.map((row) => ({ ...row, resource: oneOf(resourceNames, row.resource) }))
      }),
  }
}
