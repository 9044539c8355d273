import { createdAtOf, isoMs } from '../../model/dates.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import type { CommitCounts, Incoming, PageCommit, PageComparison } from '../sync/page-rows.ts'
import { rawText, unidentifiedKey } from './raw-text.ts'
import { bodyOf, changeBetween, firstSupplement, nextSupplement, type RecordChange } from './record-body.ts'
import { appendRecordEvents, type RecordEvent } from './record-events.ts'
import { type RecordShape, recordShapes } from './record-shape.ts'
import type { RidSet } from './rid-set.ts'
import { contradictionOf, contradictory, type DistinctItems, precedenceOf, whole } from './same-id.ts'

/** A row of `records`, as a page needs it. */
export interface KnownRow {
  readonly key: string
  readonly rid: number
  /** Null without a valid version. */
  readonly body: string | null
  readonly supplement: string | null
  readonly problem: string | null
  readonly removedAt: number | null
  readonly firstSeenAt: number
  /** 1 if it is missing or absent, or its removal is accepted. */
  readonly isDoubted: number
}

const knownColumns = `key, rid, body, supplement, problem, removed_at as "removedAt", first_seen_at as "firstSeenAt",
  case when missing_since is not null or absent > 0 or accepted = 1 then 1 else 0 end as "isDoubted"`

export async function knownRows(
  sql: Sql,
  { sql: dialect }: Database,
  { tenantId, resource }: Pick<PageCommit, 'tenantId' | 'resource'>,
  keys: readonly string[],
): Promise<ReadonlyMap<string, KnownRow>> {
  const rows = await sql<KnownRow>(dialect.recordsByKeys(knownColumns), [
    { tenantId, resource, keys: dialect.listOf(keys) },
  ])
  return new Map(rows.map((row) => [row.key, row]))
}

export interface PageWritten {
  /** Rows that the page returned, quarantined ones included. */
  readonly rids: readonly number[]
  readonly counts: CommitCounts
  /** Change of the number of live records. */
  readonly live: number
  readonly laterDates: Readonly<Record<string, number>>
  readonly contradicted: readonly string[]
  /** True if a record has no readable id, or contradicts another one with its id: nothing is removed. */
  readonly notWhole: boolean
  /** Keys of records whose detail is unknown since this page. */
  readonly detailDue: readonly string[]
}

/** A row to insert or update. Null keeps the stored body and supplement. */
interface RowWrite {
  readonly key: string
  readonly body: string | null
  readonly supplement: string | null
  readonly problem: string | null
  readonly raw: string | null
}

const writeColumns = { key: 'text', body: 'text', supplement: 'text', problem: 'text', raw: 'text' } as const

const upsertText = (
  rows: string,
) => `insert into records (tenant_id, resource, key, body, supplement, problem, raw, problem_since,
    first_seen_at, read_at, request_id)
  select cast(@tenantId as bigint), cast(@resource as text), given.key, given.body, given.supplement, given.problem, given.raw,
    case when given.problem is not null then cast(@at as bigint) end, cast(@at as bigint), cast(@at as bigint),
    cast(@requestId as text) from ${rows} where true
  on conflict (tenant_id, resource, key) do update set
    body = coalesce(excluded.body, records.body), supplement = coalesce(excluded.supplement, records.supplement),
    read_at = case when excluded.body is null then records.read_at else excluded.read_at end,
    request_id = case when excluded.body is null then records.request_id else excluded.request_id end,
    problem = excluded.problem, raw = excluded.raw,
    problem_since = case when excluded.problem is not null then coalesce(records.problem_since, excluded.problem_since) end,
    removed_at = case when excluded.body is null then records.removed_at end,
    missing_since = null, absent = 0, accepted = 0
  returning key, rid`

/** Decides what a page changes, and collects the rows and events to write. */
class PageChanges {
  readonly rids: number[] = []
  readonly counts = { created: 0, updated: 0, unchanged: 0, removed: 0, quarantined: 0 }
  readonly laterDates: Record<string, number> = {}
  readonly contradicted: string[]
  readonly writes: RowWrite[] = []
  readonly events: RecordEvent[] = []
  readonly returned: number[] = []
  readonly detailDue: string[] = []
  live = 0
  readonly #shape: RecordShape
  readonly #page: PageCommit
  readonly #seen: Pick<RidSet, 'has'>

  constructor(page: PageCommit, contradicted: readonly string[], seen: Pick<RidSet, 'has'>) {
    this.#shape = recordShapes[page.resource]
    this.#page = page
    this.#seen = seen
    this.contradicted = [...contradicted]
  }

  add(key: string, item: Incoming, known: KnownRow | undefined): void {
    if (known !== undefined) this.rids.push(known.rid)
    if (!item.ok) this.#quarantine(key, item)
    else if (known === undefined) this.#create(key, item)
    else this.#compare(item, known)
  }

  #create(key: string, { record, extra }: Valid): void {
    const supplement = firstSupplement(this.#shape, record, this.#page.at)
    this.writes.push({ key, body: bodyOf(this.#shape, record, extra), supplement, problem: null, raw: null })
    if (this.#page.recordCreations) this.events.push({ key, kind: 'record.created' })
    this.counts.created++
    this.live++
    this.detailDue.push(key)
  }

  #compare(item: Valid, known: KnownRow): void {
    const { key, rid, body: before, removedAt, problem } = known
    const after = bodyOf(this.#shape, item.record, item.extra)
    const change = before === null || before === after ? null : changeBetween(this.#shape, before, after)
    const isChanged = change !== null && change.fields.length > 0
    if (before !== null && !isChanged && removedAt === null && problem === null) {
      this.counts.unchanged++
      if (known.isDoubted === 1) this.returned.push(rid)
      return
    }
    if (this.#seen.has(rid) && this.#isDecided(item, known, isChanged ? change : null)) return
    const supplement =
      before === null
        ? firstSupplement(this.#shape, item.record, this.#page.at)
        : change && nextSupplement(this.#shape, known.supplement, change, this.#page.at)
    this.writes.push({ key, body: after, supplement, problem: null, raw: null })
    if (before === null || removedAt !== null) {
      this.counts.created++
      this.live++
      this.detailDue.push(key)
    } else if (isChanged) this.counts.updated++
    else this.counts.unchanged++
    if (removedAt !== null && before !== null) this.events.push(eventOf(key, 'record.returned', change))
    else if (isChanged) this.events.push(eventOf(key, 'record.changed', change))
    if (change !== null) this.#noteChange(key, change)
  }

  /** True if an earlier page of the pass decides: it has the record that counts, or contradicts this one. */
  #isDecided(item: Valid, { key, problem }: KnownRow, change: RecordChange | null): boolean {
    if (problem?.startsWith(contradictory) === true) {
      this.counts.unchanged++
      return true
    }
    if (change === null) return false
    const precedence = precedenceOf(this.#shape, change.before, change.after)
    if (precedence === 'second') return false
    if (precedence === 'first') {
      this.counts.unchanged++
      return true
    }
    this.contradicted.push(precedence.field)
    this.#quarantine(key, contradictionOf(key, precedence.field, [change.before, whole(item)]))
    return true
  }

  #quarantine(key: string, { problem, raw }: Invalid): void {
    this.writes.push({ key, body: null, supplement: null, problem, raw: rawText(raw) })
    this.counts.quarantined++
  }

  quarantineUnidentified({ problem, raw }: Invalid): void {
    const key = unidentifiedKey(raw)
    this.counts.quarantined++
    // One statement writes each key once.
    if (this.writes.some((written) => written.key === key)) return
    this.writes.push({ key, body: null, supplement: null, problem, raw: rawText(raw) })
  }

  #noteChange(key: string, { before, after, fields }: RecordChange): void {
    const { detail, fields: kinds } = this.#shape
    for (const field of fields) {
      const [was, is] = kinds[field] === 'date' ? [isoMs(before[field]), isoMs(after[field])] : [null, null]
      if (was !== null && is !== null && is > was) this.laterDates[field] = (this.laterDates[field] ?? 0) + 1
    }
    if (detail !== null && fields.includes(detail.dependsOn)) this.detailDue.push(key)
  }
}

function eventOf(key: string, kind: RecordEvent['kind'], change: RecordChange | null): RecordEvent {
  const { before = {}, after = {}, fields = [] } = change ?? {}
  const changes = fields.map((field) => [field, [before[field] ?? null, after[field] ?? null]] as const)
  return { key, kind, fields: Object.fromEntries(changes) }
}

type Valid = Incoming & { readonly ok: true }
type Invalid = Incoming & { readonly ok: false }

/** Writes the records of a page that differ from the mirror. Call inside a transaction. @param seen earlier pages of the pass. */
export async function writePage(
  sql: Sql,
  database: Database,
  page: PageCommit,
  { items, unidentified, contradicted }: DistinctItems,
  known: ReadonlyMap<string, KnownRow>,
  seen: Pick<RidSet, 'has'>,
): Promise<PageWritten> {
  const { tenantId, resource, at, requestId } = page
  const changes = new PageChanges(page, contradicted, seen)
  for (const [key, item] of items) changes.add(key, item, known.get(key))
  for (const item of unidentified) changes.quarantineUnidentified(item)
  const { rids, writes, events, returned } = changes
  if (writes.length > 0) {
    const text = upsertText(database.sql.givenRows(writeColumns))
    for (const { key, rid } of await sql<{ key: string; rid: number }>(text, [
      { tenantId, resource, at, requestId, ...database.sql.bindRows(writeColumns, writes) },
    ]))
      if (!known.has(key)) rids.push(rid)
  }
  if (returned.length > 0) await clearAbsence(sql, database, returned)
  if (events.length > 0) await appendRecordEvents(sql, database, { tenantId, resource, at, requestId }, events)
  const { counts, live, laterDates, contradicted: fields, detailDue } = changes
  return {
    rids,
    counts,
    live,
    laterDates,
    contradicted: [...new Set(fields)],
    notWhole: unidentified.length > 0 || fields.length > 0,
    detailDue,
  }
}

async function clearAbsence(sql: Sql, { sql: dialect }: Database, rids: readonly number[]): Promise<void> {
  await sql(`update records set missing_since = null, absent = 0, accepted = 0 where ${dialect.isIn('rid')}`, [
    dialect.listOf(rids),
  ])
}

/** @param since tombstones first seen before it belong to another tenant (docs/sync.md#tenant-identity). */
export function isKnownRow(row: KnownRow | undefined, since: number): boolean {
  return row !== undefined && (row.removedAt === null || row.firstSeenAt >= since)
}

/** Compares a page with the mirror, without writing. */
export function comparisonOf(
  { items, unidentified }: DistinctItems,
  known: ReadonlyMap<string, KnownRow>,
  since: number,
): PageComparison {
  const unknown: { key: string | null; createdAt: number | null }[] = []
  for (const [key, item] of items)
    if (!isKnownRow(known.get(key), since))
      unknown.push({ key, createdAt: createdAtOf(item.ok ? item.record : item.raw) })
  for (const item of unidentified) unknown.push({ key: null, createdAt: createdAtOf(item.raw) })
  return { known: items.size + unidentified.length - unknown.length, unknown }
}

/** True for a live record without doubts that is equal, so that a write would change nothing. */
export function isUnchanged(shape: RecordShape, row: KnownRow, { record, extra }: Valid): boolean {
  if (row.body === null || row.removedAt !== null || row.problem !== null || row.isDoubted === 1) return false
  const after = bodyOf(shape, record, extra)
  return row.body === after || changeBetween(shape, row.body, after).fields.length === 0
}
