import { hash } from 'node:crypto'
import type { ResourceName } from '../model/resource-names.ts'
import type { Database } from './database.ts'
import type { Sql } from './db/db.ts'

/** Tenant id of the events that belong to no tenant. */
export const sharedChain = 0

export const recordKinds = ['record.created', 'record.changed', 'record.removed', 'record.returned'] as const
export const findingKinds = ['finding.opened', 'finding.changed', 'finding.resolved', 'finding.reopened'] as const
/** A waiver's terms came into force: for the first time, or different ones. */
export const termsKinds = ['waiver.agreed', 'waiver.renewed'] as const

export type RecordKind = (typeof recordKinds)[number]
export type FindingKind = (typeof findingKinds)[number]

export type EventKind =
  | RecordKind
  | FindingKind
  | (typeof termsKinds)[number]
  | 'clock.confirmed'
  | 'clock.resumed'
  | 'clock.set_back'
  | 'configuration'
  | 'drift.accepted'
  | 'drift.first'
  | 'history.erased'
  | 'hold.accepted'
  | 'hold.applied'
  | 'result'
  | 'tenant.state'
  | 'waiver.lapsed'

/** Times are in milliseconds since the epoch. */
export interface NewEvent {
  readonly kind: EventKind
  readonly subject: string
  readonly at: number
  readonly data: object
  /** Time of the tenant's server. */
  readonly serverAt?: number | null
  readonly requestId?: string | null
}

export interface StoredEvent {
  readonly id: number
  readonly at: number
  readonly serverAt: number | null
  readonly kind: EventKind
  readonly subject: string
  /** Null after erasure. */
  readonly data: string | null
  readonly requestId: string | null
  readonly digest: string
  readonly hash: string
}

type Content = Omit<StoredEvent, 'id' | 'digest' | 'hash'>

/** Adds events to the end of a tenant's chain, within the transaction of what they are about. */
export type AppendEvents = (tx: Sql, tenantId: number, events: readonly NewEvent[]) => Promise<void>

export function digestOf(tenantId: number, { at, serverAt, kind, subject, data, requestId }: Content): string {
  return hash('sha256', JSON.stringify([tenantId, at, serverAt, kind, subject, data, requestId]))
}

/** @param before hash of the previous event of the chain; empty for the first one. */
export function hashOf(before: string, digest: string): string {
  return hash('sha256', before + digest)
}

const columns = {
  at: 'integer',
  serverAt: 'integer',
  kind: 'text',
  subject: 'text',
  data: 'text',
  requestId: 'text',
  digest: 'text',
  hash: 'text',
} as const

export function eventAppender(database: Database): AppendEvents {
  const { sql } = database
  const lockChain = database.prepareValues<[number], string>(
    `insert into event_chains (tenant_id, last_id, hash) values (?, 0, '')
     on conflict (tenant_id) do update set hash = event_chains.hash returning hash`,
  )
  const insert = database.prepareValues<[object], number>(
    `insert into events (tenant_id, at, server_at, kind, subject, data, request_id, digest, hash)
     select cast(@tenantId as bigint), "at", "serverAt", kind, subject, data, "requestId", digest, hash
     from ${sql.givenRows(columns)} order by n returning id`,
  )
  const endChain = database.prepare<[number, string, number]>(
    'update event_chains set last_id = ?, hash = ? where tenant_id = ?',
  )
  return async (tx, tenantId, events) => {
    if (events.length === 0) return
    let last = (await lockChain.get(tx, tenantId)) ?? ''
    const rows = events.map((event) => {
      const content = contentOf(event)
      const digest = digestOf(tenantId, content)
      last = hashOf(last, digest)
      return { ...content, digest, hash: last }
    })
    const ids = await insert.all(tx, { tenantId, ...sql.bindRows(columns, rows) })
    await endChain.run(
      tx,
      ids.reduce((a, b) => Math.max(a, b)),
      last,
      tenantId,
    )
  }
}

/** The values as every database returns them. */
function contentOf({ kind, subject, at, data, serverAt = null, requestId = null }: NewEvent): Content {
  return {
    at: Math.round(at),
    serverAt: serverAt === null ? null : Math.round(serverAt),
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

/** By field, the value before and after. */
export type FieldChanges = Readonly<Record<string, readonly [before: unknown, after: unknown]>>

export interface RecordChange {
  readonly kind: RecordKind
  readonly resource: ResourceName
  readonly key: string | number
  /** Of a change or a return. */
  readonly fields?: FieldChanges
}

export function recordEvent(
  { kind, resource, key, fields = {} }: RecordChange,
  stamp: Pick<NewEvent, 'at' | 'requestId' | 'serverAt'>,
): NewEvent {
  return { ...stamp, kind, subject: recordSubject(resource, key), data: fields }
}

export interface FindingFacts {
  readonly severity: string
  readonly message: string
  readonly evidence: object
  /** Of a resolved finding. */
  readonly resolution?: string | null
}

export function findingEvent(kind: FindingKind, fingerprint: string, at: number, facts: FindingFacts): NewEvent {
  const { severity, message, evidence, resolution = null } = facts
  return { kind, subject: fingerprint, at, data: { severity, message, evidence, resolution } }
}

/** A check result that differs from the one before it in more than the time of its confirmation. */
export interface ResultFacts {
  readonly status: string
  readonly reason: string | null
  readonly entities: number | null
  readonly notEvaluated: number | null
  readonly since: number
  readonly rule: string | null
  /** Open findings by severity. */
  readonly open: object
  /** Until when the previous result was confirmed and valid; null = there is none. */
  readonly previous: { readonly confirmedAt: number; readonly validUntil: number | null } | null
}

export function resultEvent(check: string, at: number, facts: ResultFacts): NewEvent {
  const { status, reason, entities, notEvaluated, since, rule, open, previous } = facts
  return {
    kind: 'result',
    subject: check,
    at,
    data: { status, reason, entities, notEvaluated, since, rule, open, previous },
  }
}

export interface WaiverTermsFacts {
  readonly check: string
  readonly terms: string
  readonly entity: string
}

export interface WaiverLapseFacts extends WaiverTermsFacts {
  readonly waiver: string
  /** Facts of the finding as JSON. */
  readonly accepted: string | null
  readonly changed: string | null
}

export function waiverEvent(
  kind: (typeof termsKinds)[number],
  waiver: string,
  at: number,
  terms: WaiverTermsFacts,
): NewEvent {
  return { kind, subject: waiver, at, data: terms }
}

/** A waiver no longer covers a finding. */
export function lapseEvent(fingerprint: string, at: number, lapse: WaiverLapseFacts): NewEvent {
  return { kind: 'waiver.lapsed', subject: fingerprint, at, data: lapse }
}

/** List for `in`. */
export const listOfKinds = (kinds: readonly EventKind[]) => kinds.map((kind) => `'${kind}'`).join(', ')
