import { getTableColumns, getTableName } from 'drizzle-orm'
import type { Db } from './db/db.ts'
import type { AdminStore } from './port.ts'
import { eraseRecord } from './records/record-retention.ts'
import * as schema from './schema/index.ts'

const dependent = [
  'delete from configured_tenants where tenant = (select name from tenants where id = ?)',
  'delete from full_sync_pages where full_sync_id in (select id from full_syncs where tenant_id = ?)',
]

const own = Object.values(schema)
  .filter((table) => Object.values(getTableColumns(table)).some(({ name }) => name === 'tenant_id'))
  .map((table) => `delete from "${getTableName(table)}" where tenant_id = ?`)

type Part = Pick<AdminStore, 'eraseOutdated' | 'overdueErasure' | 'purgeTenant'>

export function erasureStore(db: Db): Part {
  return {
    eraseOutdated: (erasure) => db.write((tx) => eraseRecord(tx, db, erasure)),
    purgeTenant: (tenantId) =>
      db.write(async (tx) => {
        for (const text of [...dependent, ...own, 'delete from tenants where id = ?']) await tx(text, [tenantId])
      }),
    overdueErasure: (before) =>
      db.read((tx) => {
        const resolved = 'exists (select 1 from findings where tenant_id = t.id and resolved_at < @before)'
        const named = `exists (select 1 from records where tenant_id = t.id and removed_at < @before and body is not null)`
        const isOverdue = `${resolved} or ${named}`
        return tx<string>(`select name from tenants t where ${isOverdue} order by name`, [{ before }], 'values')
      }),
  }
}
