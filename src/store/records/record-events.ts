import { memoizeWeakly } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Db, Sql } from '../db/db.ts'
import { eventAppender, type RecordChange, recordEvent } from '../event-store.ts'

const appenderOf = memoizeWeakly(eventAppender)

export type RecordEvent = Omit<RecordChange, 'resource'>

export interface EventContext {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly at: number
  readonly requestId: string | null
}

/** Call inside the transaction that changes the records. */
export async function appendRecordEvents(
  sql: Sql,
  db: Db,
  { tenantId, resource, at, requestId }: EventContext,
  events: readonly RecordEvent[],
): Promise<void> {
  const stamped = events.map((event) => recordEvent({ ...event, resource }, { at, requestId }))
  await appenderOf(db)(sql, tenantId, stamped)
}
