import type { Sql } from '../db/db.ts'

/** A creation, removal or return of a record, or the change of one of its fields. */
export interface RecordEvent {
  readonly key: string
  readonly kind: 'created' | 'changed' | 'removed' | 'returned'
  readonly field?: string
  readonly before?: unknown
  readonly after?: unknown
}

export interface EventContext {
  readonly tenantId: number
  readonly resource: string
  readonly at: number
  readonly requestId: string | null
}

/** Call inside the transaction that changes the records. */
export async function appendRecordEvents(
  sql: Sql,
  { tenantId, resource, at, requestId }: EventContext,
  events: readonly RecordEvent[],
): Promise<void> {
  const json = (field: string | undefined, value: unknown) =>
    field === undefined ? null : JSON.stringify(value ?? null)
  for (const { key, kind, field, before, after } of events)
    await sql(
      `insert into changes (tenant_id, resource, key, at, kind, field, before, after, request_id)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [tenantId, resource, key, at, kind, field ?? null, json(field, before), json(field, after), requestId],
    )
}
