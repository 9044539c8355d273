import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { List, Sql } from '../db/db.ts'
import type { AdminStore } from '../port.ts'
import { contradictedMark } from './quarantine-store.ts'
import { oneOf } from './record-codec.ts'
import { columnOf, recordTables } from './record-tables.ts'
import type { Removals } from './removal-store.ts'

interface StoredHold {
  readonly tenantId: number
  readonly resource: string
  readonly reason: string
  readonly cause: string
}

type QuarantinedRow = Awaited<ReturnType<AdminStore['quarantined']>>[number]

/** Lists for operators: the records of a hold, and quarantined records. */
export function listedRecords(database: Database, removals: Removals): Pick<AdminStore, 'heldRecords' | 'quarantined'> {
  const { isIn, listOf } = database.sql
  const hold = database.prepare<[string], StoredHold>(
    'select tenant_id as "tenantId", resource, reason, cause from holds where id = ?',
  )
  const heldBy = database.prepareValues<[string], number>('select rid from held_records where hold_id = ?')
  const keysOf = memoize((resource: ResourceName) => {
    const record = recordTables[resource]
    const key = columnOf(record, record.key)
    return database.prepareValues<[List], string | number>(
      `select ${key} from "${getTableName(record.table)}" where ${isIn('rid')} order by ${key}`,
    )
  })
  const quarantined = database.prepare<[], Omit<QuarantinedRow, 'resource'> & { readonly resource: string }>(
    `select t.name as tenant, q.resource, q.key as id, q.problem, q.first_seen_at as "since",
       q.last_seen_at as "lastSeenAt", q.request_id as "requestId"
     from quarantine q join tenants t on t.id = q.tenant_id order by t.name, q.resource, q.first_seen_at, q.key`,
  )

  async function idsOf(tx: Sql, tenantId: number, resource: ResourceName, rids: readonly number[]): Promise<string[]> {
    const live = await keysOf(resource).all(tx, listOf(rids.filter((rid) => rid >= 0)))
    const unread = rids.some((rid) => rid < 0) ? await removals.quarantinedKeys(tx, tenantId, resource) : new Map()
    return [...live.map(String), ...rids.flatMap((rid) => unread.get(rid) ?? []).map(shownId)]
  }

  return {
    heldRecords: (id) =>
      database.read(async (tx) => {
        const row = await hold.get(tx, id)
        if (row === undefined || row.resource === 'all') return null
        const resource = oneOf(resourceNames, row.resource)
        const { emptiness = null } = JSON.parse(row.cause) as { readonly emptiness?: unknown }
        // A hold for an empty list covers every removable record.
        const lacksAll = row.reason === 'suspect_empty' && (emptiness === null || emptiness === 'list')
        const rids = lacksAll ? await removals.removable(tx, row.tenantId, resource) : await heldBy.all(tx, id)
        return rids.length === 0 ? null : { resource, ids: await idsOf(tx, row.tenantId, resource, rids) }
      }),
    quarantined: () =>
      database.read(async (tx) => {
        const rows = await quarantined.all(tx)
        return rows.map((row) => ({ ...row, id: shownId(row.id), resource: oneOf(resourceNames, row.resource) }))
      }),
  }
}

function shownId(key: string): string {
  return key.startsWith(contradictedMark) ? key.slice(contradictedMark.length) : key
}
