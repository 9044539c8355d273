import { decode } from '../records/record-codec.ts'
import type { RecordTable, Stored } from '../records/record-table.ts'
import type { Written } from '../records/record-writer.ts'
import type { Database } from '../sqlite/database.ts'

export interface ChangeContext {
  readonly tenantId: number
  readonly at: number
  readonly requestId: string | null
}

/** Call inside the transaction that changes the records. */
export interface ChangeLog {
  written(table: RecordTable, key: string | number, written: Written, context: ChangeContext): void
  noted(table: RecordTable, key: string | number, kind: 'created' | 'removed', context: ChangeContext): void
}

export function changeLog({ raw }: Database): ChangeLog {
  const insert = raw.prepare(
    `insert into changes (tenant_id, resource, key, at, kind, field, before, after, request_id)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const asJson = (table: RecordTable, field: string, value: Stored | undefined): string =>
    JSON.stringify(decode(table.fields[field] ?? 'json', value ?? null))

  return {
    noted(table, key, kind, { tenantId, at, requestId }) {
      insert.run(tenantId, table.resource, String(key), at, kind, null, null, null, requestId)
    },
    written(table, key, { kind, before, after, fields }, { tenantId, at, requestId }) {
      if (before === null || after === null) return
      if (kind === 'returned') insert.run(tenantId, table.resource, String(key), at, kind, null, null, null, requestId)
      for (const field of fields) {
        if (table.isHistory?.(field, before) === false) continue
        const values = [asJson(table, field, before[field]), asJson(table, field, after[field])]
        insert.run(tenantId, table.resource, String(key), at, 'changed', field, ...values, requestId)
      }
    },
  }
}
