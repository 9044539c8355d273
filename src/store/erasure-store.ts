import { getTableColumns, getTableName } from 'drizzle-orm'
import type { Database } from './database.ts'
import type { AdminStore } from './port.ts'
import { eraseRecord } from './records/record-retention.ts'
import { columnOf, recordTables } from './records/record-tables.ts'
import * as schema from './schema/index.ts'

const dependent = [
  'delete from configured_tenants where tenant = (select name from tenants where id = ?)',
  'delete from full_sync_pages where full_sync_id in (select id from full_syncs where tenant_id = ?)',
  'delete from held_records where hold_id in (select id from holds where tenant_id = ?)',
]

const tables = [...Object.values(schema), ...Object.values(recordTables).map(({ table }) => table)]
const ofTenants = tables
  .filter((table) => Object.values(getTableColumns(table)).some(({ name }) => name === 'tenant_id'))
  .map((table) => getTableName(table))

/** Counts are deleted last, because triggers update them while records are deleted. */
const own = [...ofTenants.filter((name) => name !== 'record_counts'), 'record_counts'].map(
  (name) => `delete from "${name}" where tenant_id = ?`,
)

type Part = Pick<AdminStore, 'eraseOutdated' | 'overdueErasure' | 'purgeTenant'>

export function erasureStore(database: Database): Part {
  return {
    eraseOutdated: (erasure) => database.write('everything', (tx) => eraseRecord(tx, database, erasure)),
    purgeTenant: (tenantId) =>
      database.write('everything', async (tx) => {
        for (const text of [...dependent, ...own, 'delete from tenants where id = ?'])
          await database.prepare<[number]>(text).run(tx, tenantId)
      }),
    overdueErasure: (before) =>
      database.read((tx) => {
        const named = Object.values(recordTables).flatMap((record) => {
          const present = record.personal.map((field) => `${columnOf(record, field)} is not null`)
          if (present.length === 0) return []
          const from = `from "${getTableName(record.table)}" where tenant_id = t.id and removed_at < @before`
          return [`exists (select 1 ${from} and (${present.join(' or ')}))`]
        })
        const resolved = 'exists (select 1 from findings where tenant_id = t.id and resolved_at < @before)'
        const isOverdue = [resolved, ...named].join(' or ')
        return database
          .prepareValues<[{ before: number }], string>(`select name from tenants t where ${isOverdue} order by name`)
          .all(tx, { before })
      }),
  }
}
