import { hash } from 'node:crypto'
import type { ResourceName } from '../model/resource-names.ts'
import type { Db, Sql } from './db/db.ts'
import { type EventKind, type FieldChanges, type LastErasure, listOfKinds, type RecordKind } from './events.ts'
import { columnList, fromJson, insertRows, type RowOf } from './rows.ts'
import { events as eventTable } from './schema/index.ts'

/** Times are in milliseconds since the epoch. */
export interface NewEvent {
  readonly kind: EventKind
  readonly subject: string
  readonly at: number
  readonly data: object
  readonly requestId?: string | null
}

/** What counts as written by a time (docs/evidence.md#what-was-true-then). */
export interface AsOf {
  /** Condition on the table `events`. */
  events(alias: string): string
  /** Condition on the table `runs`. */
  readonly runs: string
  /** For a time that is stored elsewhere. */
  includes(time: number): boolean
  /** Replaces a time that a wrong clock wrote, later than the requested one, by that of the confirmation after it. */
  clamp(time: number): number
}

/** Everything that is written. */
export const present: AsOf = {
  events: () => '1 = 1',
  runs: '1 = 1',
  includes: () => true,
  clamp: (time) => time,
}

export type StoredEvent = RowOf<typeof eventTable>

type Content = Omit<StoredEvent, 'id' | 'digest' | 'hash' | 'tenantId'>

export function digestOf(tenantId: number, { at, kind, subject, data, requestId }: Content): string {
  return hash('sha256', JSON.stringify([tenantId, at, kind, subject, data, requestId]))
}

/**
 * Covers what an erasure keeps, too: the digest cannot prove that once the content is gone.
 *
 * @param before hash of the previous event of the chain; empty for the first one.
 */
export function hashOf(
  before: string,
  { digest, at, kind, subject }: Omit<Content, 'data' | 'requestId'> & { readonly digest: string },
): string {
  return hash('sha256', JSON.stringify([before, digest, at, kind, subject]))
}

/** Adds events to the end of a tenant's chain, within the transaction of what they are about. */
export async function appendEvents(sql: Sql, tenantId: number, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  let { hash: last, lastAt } = await lockChain(sql, tenantId)
  const rows = events.map((event) => {
    lastAt = Math.max(lastAt, Math.round(event.at))
    const content = { ...contentOf(event), at: lastAt }
    const digest = digestOf(tenantId, content)
    last = hashOf(last, { ...content, digest })
    return { tenantId, ...content, digest, hash: last }
  })
  const ids = await insertRows<typeof eventTable, number>(sql, eventTable, rows, 'returning id')
  const lastId = ids.reduce((a, b) => Math.max(a, b))
  const endChain = 'update event_chains set last_id = ?, hash = ?, last_at = ? where tenant_id = ?'
  await sql(endChain, [lastId, last, lastAt, tenantId])
}

/**
 * The end of a tenant's chain, before whose time nothing more is written. Call inside a transaction.
 *
 * @param at raises that time, in milliseconds since the epoch.
 */
export async function lockChain(tx: Sql, tenantId: number, at = 0): Promise<{ hash: string; lastAt: number }> {
  const text = `insert into event_chains (tenant_id, last_at) values (?, ?)
    on conflict (tenant_id) do update set last_at =
      case when event_chains.last_at > excluded.last_at then event_chains.last_at else excluded.last_at end
    returning hash, last_at as "lastAt"`
  const [chain = { hash: '', lastAt: at }] = await tx<{ hash: string; lastAt: number }>(text, [
    tenantId,
    Math.round(at),
  ])
  return chain
}

/** The values as every database returns them. */
function contentOf({ kind, subject, data, requestId = null }: NewEvent): Omit<Content, 'at'> {
  return {
    kind,
    subject: subject.toWellFormed(),
    data: JSON.stringify(data),
    requestId: requestId?.toWellFormed() ?? null,
  }
}

export const recordSubject = (resource: ResourceName, key: string | number) => `${resource}/${key}`

/** For `between`: the subjects of all records of a resource. */
export const recordSubjects = (resource: ResourceName): readonly [string, string] => [
  `${resource}/`,
  `${resource}/\u{10ffff}`,
]

export interface RecordEvent {
  readonly kind: RecordKind
  readonly key: string | number
  /** Of a change or a return. */
  readonly fields?: FieldChanges
}

export interface RecordContext extends Pick<StoredEvent, 'at' | 'requestId'> {
  readonly tenantId: number
  readonly resource: ResourceName
}

/** Call inside the transaction that changes the records. */
export function appendRecordEvents(
  sql: Sql,
  { tenantId, resource, at, requestId }: RecordContext,
  events: readonly RecordEvent[],
): Promise<void> {
  const stamped = events.map(({ kind, key, fields = {} }): NewEvent => {
    return { at, requestId, kind, subject: recordSubject(resource, key), data: fields }
  })
  return appendEvents(sql, tenantId, stamped)
}

/** Expression for the id of the last event of a subject, which has its state. */
export const lastEventOf = (kinds: readonly EventKind[], tenantId: string, subject: string, asOf = '1 = 1') =>
  `(select max(x.id) from events x where x.tenant_id = ${tenantId} and x.kind in (${listOfKinds(kinds)})
      and x.subject = ${subject} and ${asOf})`

/** The last event of a tenant's kind and subject that is not erased, by then. */
export async function lastEvent(
  tx: Sql,
  tenantId: number,
  kind: EventKind,
  { subject = '', asOf = present }: { readonly subject?: string; readonly asOf?: AsOf } = {},
): Promise<(StoredEvent & { readonly data: string }) | undefined> {
  const text = `select ${columnList(eventTable, 'e')} from events e where tenant_id = ? and kind = ? and subject = ?
      and data is not null and ${asOf.events('e')} order by id desc limit 1`
  const [event] = await tx<StoredEvent & { readonly data: string }>(text, [tenantId, kind, subject])
  return event
}

/** The last erasure of a chain, which is an event of it. */
export async function lastErasure(tx: Sql, tenantId: number): Promise<(LastErasure & { readonly at: number }) | null> {
  const event = await lastEvent(tx, tenantId, 'history.erased')
  return event === undefined ? null : { at: event.at, ...(fromJson(event.data) as LastErasure) }
}

export interface EventFilter {
  readonly kinds: readonly EventKind[]
  /** Absent = of all tenants. */
  readonly tenantId?: number | undefined
  readonly subjects?: readonly string[]
  /** Only events of that time or later. */
  readonly since?: number
}

export interface EventRow extends Pick<StoredEvent, 'id' | 'at' | 'kind' | 'subject'> {
  readonly tenant: string
  readonly data: unknown
}

/** Reads events of tenants that are not erased, in the order of writing. */
export function eventReader(db: Db, asOf: AsOf = present) {
  const { dialect } = db
  return ({ kinds, tenantId, subjects, since }: EventFilter): Promise<readonly EventRow[]> => {
    const text = `select e.id, t.name as tenant, e.at, e.kind, e.subject, e.data from events e cross join tenants t
      where t.id = e.tenant_id and e.kind in (${listOfKinds(kinds)}) and e.data is not null and ${asOf.events('e')}
        ${tenantId === undefined ? '' : 'and e.tenant_id = ?'} ${subjects === undefined ? '' : `and ${dialect.isIn('e.subject')}`}
        ${since === undefined ? '' : 'and e.at >= ?'} order by +e.id`
    const values: unknown[] = tenantId === undefined ? [] : [tenantId]
    if (subjects !== undefined) values.push(subjects)
    if (since !== undefined) values.push(since)
    return db.read(async (tx) => {
      const rows = await tx<Omit<EventRow, 'data'> & { readonly data: string }>(text, values)
      return rows.map((row) => ({ ...row, data: fromJson(row.data) }))
    })
  }
}

export function eventStore(db: Db) {
  return {
    events: eventReader(db),
    /** Id of the tenant's last event, which each change of findings, decisions and waivers raises; 0 without one. */
    lastEventId: (tenantId: number): Promise<number> =>
      db.read(async (tx) => {
        const [id = 0] = await tx<number>('select last_id from event_chains where tenant_id = ?', [tenantId], 'values')
        return id
      }),
    /** Hash of the first event of all, by which a mirror is recognized; null without one. */
    firstHash: (): Promise<string | null> =>
      db.read(async (tx) => {
        const [first = null] = await tx<string>('select hash from events order by id limit 1', [], 'values')
        return first
      }),
    appendEvents: (tenantId: number, events: readonly NewEvent[]) =>
      db.write((tx) => appendEvents(tx, tenantId, events)),
  }
}
