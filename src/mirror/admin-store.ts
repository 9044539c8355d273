import { getTableName } from 'drizzle-orm'
import type { AdminStore } from './port.ts'
import { eraseRecord } from './records/record-retention.ts'
import { columnOf, recordTables } from './records/record-tables.ts'
import type { Database, Operations } from './sqlite/database.ts'
import type { OpenedDatabase } from './sqlite/open-database.ts'
import { leaveCheckpoints, verifyFile } from './sqlite/verify-file.ts'

const dependent = [
  'delete from full_sync_pages where full_sync_id in (select id from full_syncs where tenant_id = ?)',
  'delete from held_records where hold_id in (select id from holds where tenant_id = ?)',
  'delete from finding_events where fingerprint in (select fingerprint from findings where tenant_id = ?)',
]

export function tenantErasure(database: Database): Operations<Pick<AdminStore, 'overdueErasure' | 'purgeTenant'>> {
  const { raw } = database
  return {
    purgeTenant: (tenantId) =>
      database.run(() => {
        const tables = raw
          .prepare<[], string>(
            `select t.name from sqlite_schema t, pragma_table_info(t.name) c
           where t.type = 'table' and c.name = 'tenant_id' order by t.name`,
          )
          .pluck()
          .all()
        database.transact('everything', () => {
          for (const statement of dependent) raw.prepare(statement).run(tenantId)
          // Deleted last: triggers update the counts while records are deleted.
          for (const table of tables.filter((name) => name !== 'record_counts'))
            raw.prepare(`delete from "${table}" where tenant_id = ?`).run(tenantId)
          raw.prepare('delete from record_counts where tenant_id = ?').run(tenantId)
          raw.prepare('delete from tenants where id = ?').run(tenantId)
        })
      }),
    overdueErasure: (before) =>
      database.run(() => {
        const named = Object.values(recordTables).flatMap((record) => {
          const present = record.personal.map((field) => `${columnOf(record, field)} is not null`)
          if (present.length === 0) return []
          const from = `from "${getTableName(record.table)}" where tenant_id = t.id and removed_at < @before`
          return [`exists (select 1 ${from} and (${present.join(' or ')}))`]
        })
        const resolved = 'exists (select 1 from findings where tenant_id = t.id and resolved_at < @before)'
        return raw
          .prepare<[{ before: number }], string>(
            `select name from tenants t where ${[resolved, ...named].join(' or ')} order by name`,
          )
          .pluck()
          .all({ before })
      }),
  }
}

type Part = Operations<Pick<AdminStore, 'isVerified' | 'ping' | 'eraseOutdated' | 'verify'>>

export function adminStore({ database, guard, ...opened }: OpenedDatabase): Part {
  const { raw } = database
  let { verified } = opened
  return {
    eraseOutdated: (erasure) => database.write('everything', () => eraseRecord(database, erasure)),
    ping: () =>
      database.run(() => {
        raw.prepare('select 1').get()
        guard.insist()
      }),
    isVerified: () => verified,
    verify: (signal = new AbortController().signal) =>
      database.run(async () => {
        guard.insist()
        await leaveCheckpoints(raw, () => verifyFile(raw.name, signal))
        verified = true
      }),
  }
}
