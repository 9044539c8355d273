import type { Database, Statement } from '../database.ts'
import { decode } from '../records/record-codec.ts'
import type { RecordTable, Stored } from '../records/record-tables.ts'
import type { Written } from '../records/record-writer.ts'

export interface ChangeContext {
  readonly tenantId: number
  readonly at: number
  readonly requestId: string | null
}

type ChangeValues = readonly [
  tenantId: number,
  resource: string,
  key: string,
  at: number,
  kind: 'created' | 'changed' | 'removed' | 'returned',
  field: string | null,
  before: string | null,
  after: string | null,
  requestId: string | null,
]

export interface ChangeLog {
  /** Run for each row of `written` and `noted`, inside the transaction that changes the records. */
  readonly insert: Statement<ChangeValues, unknown>
  written(table: RecordTable, key: string | number, written: Written, context: ChangeContext): readonly ChangeValues[]
  noted(table: RecordTable, key: string | number, kind: 'created' | 'removed', context: ChangeContext): ChangeValues
}

export function changeLog(database: Database): ChangeLog {
  return {
    insert: database.prepare(
      `insert into changes (tenant_id, resource, key, at, kind, field, before, after, request_id)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    noted: ({ resource }, key, kind, { tenantId, at, requestId }) => [
      tenantId,
      resource,
      String(key),
      at,
      kind,
      null,
      null,
      null,
      requestId,
    ],
    written(table, key, { kind, before, after, fields }, { tenantId, at, requestId }) {
      const rows: ChangeValues[] = []
      const of = [tenantId, table.resource, String(key), at] as const
      if (kind === 'returned') rows.push([...of, kind, null, null, null, requestId])
      for (const field of fields) {
        if (table.isHistory?.(field, before) === false) continue
        const [was, is] = [asJson(table, field, before[field]), asJson(table, field, after[field])]
        rows.push([...of, 'changed', field, was, is, requestId])
      }
      return rows
    },
  }
}

function asJson(table: RecordTable, field: string, value: Stored | undefined): string {
  return JSON.stringify(decode(table.fields[field] ?? 'json', value ?? null))
}
