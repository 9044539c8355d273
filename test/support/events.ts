import type { EventKind } from '../../src/store/events.ts'
import { changesIn, type StoredRecordEvent } from '../../src/store/history/changes.ts'

type Row = Readonly<Record<string, unknown>>
type Query = (sql: string) => readonly unknown[]

/** A change of a record as the test sees it: `before` and `after` as JSON. */
export interface SeenChange {
  readonly tenant: number
  readonly resource: string
  readonly key: string
  readonly at: number
  readonly kind: string
  readonly field: string | null
  readonly before: string | null
  readonly after: string | null
  readonly requestId: string | null
}

/** Changes of records, oldest first. */
export function seenChanges(query: Query): readonly SeenChange[] {
  const text = `select id, tenant_id as tenant, at, kind, subject, data, request_id as "requestId"
    from events where kind like 'record.%' and data is not null order by id`
  return (query(text) as readonly Row[]).flatMap(({ tenant, ...event }) =>
    changesIn(event as unknown as StoredRecordEvent).map(({ id: _, before, after, ...change }) => {
      const json = (value: unknown) => (change.field === null ? null : JSON.stringify(value))
      return { ...change, tenant: Number(tenant), before: json(before), after: json(after) }
    }),
  )
}

/** Events of these kinds that are not erased, oldest first, with their data. */
export function seenEvents(query: Query, ...kinds: readonly EventKind[]): readonly Row[] {
  const list = kinds.map((kind) => `'${kind}'`).join(', ')
  const rows = query(`select * from events where kind in (${list}) and data is not null order by id`) as readonly Row[]
  return rows.map(({ data, ...row }) => ({ ...row, ...(JSON.parse(String(data)) as object) }))
}

/** Accepted states of a check of the first tenant by entity, as JSON, the last one of each. */
export function acceptedStates(query: Query, check: string): ReadonlyMap<string, string> {
  const rows =
    query(`select kind, subject, data from events where tenant_id = 1 and ((kind = 'drift.first' and subject = '${check}')
    or (kind = 'drift.accepted' and subject like '${check}/%')) order by id`) as readonly Row[]
  const states = new Map<string, string>()
  for (const { kind, subject, data } of rows) {
    const stored = JSON.parse(String(data)) as {
      states?: readonly { entityId: string; state: unknown }[]
      state: unknown
    }
    if (kind === 'drift.accepted') states.set(String(subject).replace(/^[^/]*\//, ''), JSON.stringify(stored.state))
    for (const { entityId, state } of stored.states ?? []) states.set(entityId, JSON.stringify(state))
  }
  return states
}
