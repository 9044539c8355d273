import { getTableColumns } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import { syncStates } from '../schema/index.ts'
import type { Database } from '../sqlite/database.ts'

type Row = typeof syncStates.$inferInsert

/** Absent or undefined fields keep their values. */
export type SyncStateNote = { readonly [Field in Exclude<keyof Row, 'tenantId' | 'resource'>]?: Row[Field] | undefined }

export type SyncStateWriter = (tenantId: number, resource: string, note: SyncStateNote) => void

/** Prepares one statement for each set of fields that is written together. */
export function syncStateWriter({ raw }: Database): SyncStateWriter {
  const columns: Readonly<Record<string, { readonly name: string }>> = getTableColumns(syncStates)
  const upsert = memoize((fields: string) => {
    const names = fields.split(' ').map((field) => `"${columns[field]?.name ?? field}"`)
    return raw.prepare(
      `insert into sync_states (tenant_id, resource, ${names.join(', ')}) values (?, ?, ${names.map(() => '?').join(', ')})
       on conflict (tenant_id, resource) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    )
  })
  return (tenantId, resource, note) => {
    const stated = Object.entries(note).filter(([, value]) => value !== undefined)
    if (stated.length === 0) return
    const values = stated.map(([, value]) => value)
    upsert(stated.map(([field]) => field).join(' ')).run(tenantId, resource, ...values)
  }
}
