import { hash } from 'node:crypto'
import type { AnyRecord, InvalidReading, ValidReading } from '../../model/reading.ts'
import { noCounts } from '../../model/run-result.ts'
import { createdAtOf, dayMs, isoMs } from '../../model/time.ts'
import type { Sql } from '../db/db.ts'
import { appendRecordEvents, type RecordEvent } from '../event-store.ts'
import { fromJson } from '../rows.ts'
import type { PageCommit, PageComparison } from '../sync/sync-port.ts'
import { identifies, type KnownRow, type KnownRows } from './known-rows.ts'
import { bodyOf, changeBetween, nextSupplement, type RecordChange } from './record-body.ts'
import { type RecordShape, recordShapes } from './record-shape.ts'
import { unidentifiedPrefix } from './removals.ts'
import { contradictionOf, contradictory, type DistinctItems, isEarlier, precedenceOf, whole } from './same-id.ts'

type Comparison = Omit<PageComparison, 'differs'>

/** Compares a page with the mirror, without writing. */
export function comparisonOf({ items, unidentified }: DistinctItems, known: KnownRows): Comparison {
  const unknown: { key: string | null; createdAt: number | null }[] = []
  for (const [key, item] of items)
    if (known.get(key)?.[4] !== 1) unknown.push({ key, createdAt: createdAtOf(item.ok ? item.record : item.raw) })
  for (const item of unidentified) unknown.push({ key: null, createdAt: createdAtOf(item.raw) })
  const proving = [...items.keys()].filter((key) => identifies(known.get(key))).length
  return { known: items.size + unidentified.length - unknown.length, identifying: proving, unknown }
}

/** A row to insert or update. Null keeps the stored body and supplement. */
interface RowWrite {
  readonly key: string
  readonly body: string | null
  readonly supplement: string | null
  readonly problem: string | null
  readonly raw: string | null
}

/** Stored part of an invalid record. */
const maxRawLength = 64 * 1024

/** What a page changes: the rows and events to write. */
export class PageChanges {
  readonly rids: number[] = []
  readonly counts = { ...noCounts }
  /** Number of records whose secret was rotated. */
  rotated = 0
  /** Number of updated records in which a field changed that checks read. */
  relevant = 0
  /** Fields in which records with the same id contradict each other. */
  readonly contradicted: Set<string>
  /** Keys of records whose detail is unknown since this page. */
  readonly detailDue: string[] = []
  /** True if a record has no readable id, or contradicts another one with its id: nothing is removed. */
  readonly notWhole: boolean
  /** Change of the number of live records. */
  live = 0
  /** Known ids with another creation: they are other entities' now. */
  readonly #reassigned: PageComparison['unknown'][number][] = []
  readonly #writes = new Map<string, RowWrite>()
  readonly #events: RecordEvent[] = []
  readonly #returned: number[] = []
  readonly #shape: RecordShape
  readonly #page: PageCommit
  readonly #known: KnownRows
  readonly #seen: PageSeen
  readonly #isProvisional: boolean

  /** @param seen records of earlier pages of the full sync; null for a page of none. */
  constructor(
    page: PageCommit,
    { items, unidentified, contradicted }: DistinctItems,
    known: KnownRows,
    { seen, isProvisional }: { readonly seen: PageSeen; readonly isProvisional: boolean },
  ) {
    this.#shape = recordShapes[page.resource]
    this.#page = page
    this.#known = known
    this.#seen = seen
    this.#isProvisional = isProvisional
    this.contradicted = new Set(contradicted)
    for (const [key, item] of items) {
      const row = known.get(key)
      if (row !== undefined) this.rids.push(row[1])
      if (!item.ok) this.#quarantine(key, item)
      else if (row === undefined) this.#create(key, item)
      else this.#compare(item, row)
    }
    for (const item of unidentified) this.#quarantine(unidentifiedKey(item.raw), item)
    this.notWhole = unidentified.length > 0 || this.contradicted.size > 0
  }

  get isEmpty(): boolean {
    return this.#writes.size === 0 && this.#returned.length === 0
  }

  /** The page beside the mirror, for the page rule (docs/internals/sync.md#8-tenant-identity). */
  compared({ known, unknown, ...rest }: Comparison): Comparison {
    return { ...rest, known: known - this.#reassigned.length, unknown: [...unknown, ...this.#reassigned] }
  }

  #create(key: string, { record, extra }: ValidReading): void {
    this.#write(key, bodyOf(this.#shape, record, extra), null)
    this.#noteCreated(key)
    this.#countCreated(key)
  }

  #compare(item: ValidReading, row: KnownRow): void {
    const [key, rid, before, , , , supplement, problem, removedAt] = row
    const lost = before === null ? null : lostField(item, before)
    if (lost !== null) {
      this.#quarantine(key, lost)
      return
    }
    const after = bodyOf(this.#shape, item.record, item.extra)
    const change = before === null || before === after ? null : changeBetween(this.#shape, before, after)
    const isChanged = change !== null && change.fields.length > 0
    if (before !== null && !isChanged && removedAt === null && problem === null) {
      this.#keep(row)
      return
    }
    if (this.#isDecided(item, row, isChanged ? change : null)) return
    this.#write(key, after, change && nextSupplement(this.#shape, supplement, change.fields))
    if (before === null || removedAt !== null) this.#countCreated(key)
    else if (isChanged) this.#countUpdated(change)
    else this.#countUnchanged(rid)
    if (removedAt !== null) this.#events.push(eventOf(key, 'record.returned', change))
    else if (before === null) this.#noteCreated(key)
    else if (isChanged) this.#events.push(eventOf(key, 'record.changed', change))
    if (change !== null) this.#noteChange(key, change)
  }

  /**
   * True if the version before decides. In a full sync that of an earlier page does: it counts, or contradicts this one. On
   * a page of an incremental sync the stored one does if it is a later version of a live record, or if a full sync found it
   * contradictory.
   */
  #isDecided(item: ValidReading, row: KnownRow, change: RecordChange | null): boolean {
    const [key, rid, , , , , , problem, removedAt] = row
    const isIncremental = this.#page.fullSync === undefined && this.#page.whole === undefined
    if (!isIncremental && !this.#isRepeated(rid)) return false
    if (problem?.startsWith(contradictory) === true) {
      this.#keep(row)
      return true
    }
    if (change === null || removedAt !== null) return false
    const precedence = precedenceOf(this.#shape, change.before, change.after)
    if (precedence === 'second') return false
    if (isIncremental && !isEarlier(this.#shape, change)) return false
    if (precedence === 'first') this.#keep(row)
    else {
      this.contradicted.add(precedence.field)
      this.#quarantine(key, contradictionOf(key, precedence.field, [change.before, whole(item)]))
    }
    return true
  }

  #noteCreated(key: string): void {
    if (this.#page.recordCreations) this.#events.push({ key, kind: 'record.created' })
  }

  #countCreated(key: string): void {
    this.counts.created++
    this.live++
    this.detailDue.push(key)
  }

  #write(key: string, body: string, supplement: string | null): void {
    this.#writes.set(key, { key, body, supplement, problem: null, raw: null })
  }

  #quarantine(key: string, { problem, raw }: InvalidReading): void {
    const text = (JSON.stringify(raw) ?? 'null').slice(0, maxRawLength)
    const known = this.#known.get(key)
    if (known?.[7] === problem && known[9] === text) this.#noteReturned(known)
    else this.#writes.set(key, { key, body: null, supplement: null, problem, raw: text })
    if (known?.[7] == null || !this.#isRepeated(known[1])) this.counts.quarantined++
  }

  /** Keeps the stored version of a record that was returned. */
  #keep(row: KnownRow): void {
    this.#countUnchanged(row[1])
    this.#noteReturned(row)
  }

  #noteReturned([, rid, , isSettled, , isProvisional]: KnownRow): void {
    if (isSettled === 0 || (isProvisional === 1 && !this.#isProvisional)) this.#returned.push(rid)
  }

  #countUpdated({ fields }: RecordChange): void {
    this.counts.updated++
    if (fields.some((field) => !this.#shape.unread.has(field))) this.relevant++
  }

  /** True if an earlier page of the full sync had the record: it counts once. */
  #isRepeated(rid: number): boolean {
    return this.#seen?.has(rid) === true
  }

  #countUnchanged(rid: number): void {
    if (!this.#isRepeated(rid)) this.counts.unchanged++
  }

  #noteChange(key: string, { before, after, fields }: RecordChange): void {
    const { detail, rotation } = this.#shape
    if (rotation !== null && fields.includes(rotation)) {
      const [was, is] = [isoMs(before[rotation]), isoMs(after[rotation])]
      if (was !== null && is !== null && is > was) this.rotated++
    }
    if (detail !== null && fields.includes(detail.until)) this.detailDue.push(key)
    const [bornAt, createdAt] = [createdAtOf(before), createdAtOf(after)]
    if (bornAt !== null && createdAt !== null && Math.abs(createdAt - bornAt) > dayMs)
      this.#reassigned.push({ key, createdAt })
  }

  /** Call inside a transaction. */
  async write(sql: Sql): Promise<void> {
    const { tenantId, resource, at, requestId } = this.#page
    const provisional = this.#isProvisional ? 1 : 0
    const { givenRows, bindRows, isIn } = sql.dialect
    if (this.#writes.size > 0) {
      const rows = bindRows(writeColumns, [...this.#writes.values()])
      const params = [{ tenantId, resource, at, requestId, provisional, ...rows }]
      for (const [key, rid] of await sql<[string, number]>(upsertText(givenRows(writeColumns)), params, 'arrays'))
        if (!this.#known.has(key)) this.rids.push(rid)
    }
    if (this.#returned.length > 0)
      await sql(
        `update records set missing_since = null, absent = 0, accepted = 0, looked_up_at = null,
           provisional = provisional * ? where ${isIn('rid')}`,
        [provisional, this.#returned],
      )
    await appendRecordEvents(sql, { tenantId, resource, at, requestId }, this.#events)
  }
}

/** The problem of a record that lacks a field of its stored version; one that never had it is valid. */
function lostField(item: ValidReading, before: string): InvalidReading | null {
  const missing = item.oddities.filter(({ detail }) => detail === 'missing')
  if (missing.length === 0) return null
  const stored = fromJson(before) as AnyRecord
  const lost = missing.find(({ field }) => stored[field] !== null)
  return lost === undefined ? null : { ok: false, id: null, raw: whole(item), problem: `${lost.field} is missing` }
}

type PageSeen = Pick<ReadonlySet<number>, 'has'> | null

function unidentifiedKey(raw: unknown): string {
  return `${unidentifiedPrefix}${hash('sha256', JSON.stringify(raw) ?? 'null').slice(0, 32)}`
}

function eventOf(key: string, kind: RecordEvent['kind'], change: RecordChange | null): RecordEvent {
  const { before = {}, after = {}, fields = [] } = change ?? {}
  const changes = fields.map((field) => [field, [before[field] ?? null, after[field] ?? null]] as const)
  return { key, kind, fields: Object.fromEntries(changes) }
}

const writeColumns = { key: 'text', body: 'text', supplement: 'text', problem: 'text', raw: 'text' } as const

const upsertText = (
  rows: string,
) => `insert into records (tenant_id, resource, key, body, supplement, problem, raw, problem_since,
    first_seen_at, read_at, request_id, provisional)
  select cast(@tenantId as bigint), cast(@resource as text), given.key, given.body, given.supplement, given.problem, given.raw,
    case when given.problem is not null then cast(@at as bigint) end, cast(@at as bigint), cast(@at as bigint),
    cast(@requestId as text), cast(@provisional as bigint) from ${rows} where true
  on conflict (tenant_id, resource, key) do update set
    body = coalesce(excluded.body, records.body), supplement = coalesce(excluded.supplement, records.supplement),
    read_at = case when excluded.body is null then records.read_at else excluded.read_at end,
    request_id = case when excluded.body is null then records.request_id else excluded.request_id end,
    problem = excluded.problem, raw = excluded.raw,
    problem_since = case when excluded.problem is not null then coalesce(records.problem_since, excluded.problem_since) end,
    removed_at = case when excluded.body is null then records.removed_at end,
    missing_since = null, absent = 0, accepted = 0, looked_up_at = null,
    provisional = records.provisional * excluded.provisional
  returning key, rid`
