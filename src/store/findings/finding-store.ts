import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import {
  and,
  asc,
  desc,
  eq,
  exists,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  lte,
  type SQL,
  sql,
} from 'drizzle-orm'
import { resolutions } from '../../model/check-status.ts'
import { type Severity, severities } from '../../model/severity.ts'
import type { Database } from '../database.ts'
import type { Dialect, Sql } from '../db/db.ts'
import { findingKinds } from '../event-store.ts'
import { orm } from '../orm.ts'
import type { FindingFilter, FindingRow, FindingStore, OpenFinding, OpenFindingStore, WaiverTerms } from '../port.ts'
import { events, findings, tenants } from '../schema/index.ts'
import { fromJson, oneOf } from '../words.ts'
import { personalReader, personalText } from './entity-names.ts'
import { type EntityPlace, entityOrder, firstPlaces } from './entity-order.ts'
import { mayHave, searchablePart } from './text-search.ts'

/** Size of the first batch, which is all that most outputs read. */
const firstBatch = 10
const laterBatch = 500

interface StoredOpen extends OpenFinding {
  readonly firstSeenAt: number
}

interface Place {
  readonly tenantId: number
  readonly check: string
  readonly severity: string
  readonly at: number
  readonly after: string
  readonly most: number
}

const openColumns = `f.fingerprint, f.entity_type as "entityType", f.entity_id as "entityId", f.severity,
  f.first_seen_at as "firstSeenAt"`
const ofCheck = 'f.tenant_id = @tenantId and f."check" = @check and f.severity = @severity and f.resolved_at is null'
const next = `(f.first_seen_at, f.fingerprint) > (@at, @after) order by f.first_seen_at, f.fingerprint limit @most`

/** Reads only the index `findings_open`. */
export const openReading = (words: Pick<Dialect, 'indexedBy'>) =>
  `select ${openColumns} from findings f ${words.indexedBy('findings_open')} where ${ofCheck} and ${next}`

/** Starts from the lapsed rows, which are few, not from the many findings that a waiver for all entities covers. */
export const lapsedReading = `select ${openColumns} from waived_findings w cross join findings f
  where f.fingerprint = w.fingerprint and w.tenant_id = @tenantId and w."check" = @check and w.waiver = @waiver and w.terms = @terms
    and w.open_severity = @severity and w.lapsed_at is not null and ${ofCheck} and ${next}`

/** In display order. */
export function openFindings(database: Database): Pick<OpenFindingStore, 'openFindings'> {
  const all = database.prepare<[Place], StoredOpen>(openReading(database.sql))
  const lapsed = database.prepare<[Place & { readonly waiver: string; readonly terms: string }], StoredOpen>(
    lapsedReading,
  )
  async function* read(tenantId: number, check: string, severity: Severity, lapsedUnder?: WaiverTerms) {
    let last = { at: Number.MIN_SAFE_INTEGER, after: '' }
    for (let most = firstBatch; ; most = laterBatch) {
      const place = { tenantId, check, severity, ...last, most }
      const rows = await database.read((tx) =>
        lapsedUnder === undefined ? all.all(tx, place) : lapsed.all(tx, { ...place, ...lapsedUnder }),
      )
      const end = rows.at(-1)
      if (end === undefined) return
      yield rows.map(({ firstSeenAt: _, ...finding }) => finding)
      if (rows.length < most) return
      last = { at: end.firstSeenAt, after: end.fingerprint }
      await yieldToEventLoop()
    }
  }

  return {
    openFindings: (...of) => read(...of),
  }
}

interface Stored extends Readonly<typeof findings.$inferSelect>, Pick<FindingRow, 'personal'> {
  readonly tenant: string
}

const batchSize = 500
const searchedAtOnce = 2000
const firstPlacesAtOnce = 500

function toFinding({ id: _, tenantId: __, digest: ___, ...row }: Stored): FindingRow {
  return {
    ...row,
    severity: oneOf(severities, row.severity),
    evidence: fromJson(row.evidence) as Record<string, unknown>,
    resolution: row.resolution === null ? null : oneOf(resolutions, row.resolution),
  }
}

export function findingStore(database: Database): Pick<FindingStore, 'findings'> {
  const idsOf = (where: SQL | undefined, order: SQL, skipped = 0) =>
    database.select(orm.select({ id: findings.id }).from(findings).where(where).orderBy(order).limit(1).offset(skipped))
  const addPersonal = personalReader(database)
  const personal = personalText(database.sql)
  const tenant = eq(tenants.id, findings.tenantId)
  const rowsOf = (where: SQL | undefined, order: SQL, most: number) => {
    const columns = { ...getTableColumns(findings), tenant: tenants.name }
    return database.select(
      orm.select(columns).from(findings).innerJoin(tenants, tenant).where(where).orderBy(order).limit(most),
    )
  }
  const placesOf = (where: SQL | undefined, order: SQL, most: number) => {
    const { id, entityId } = findings
    return database.select(
      orm.select({ id, entityId }).from(findings).innerJoin(tenants, tenant).where(where).orderBy(order).limit(most),
    )
  }

  /** Batches in stored order; with a text or `inParts`, a limited number of rows at a time, for other work. */
  async function* scan<Row extends { readonly id: number }>(filter: FindingFilter, { rows, inParts, from }: Scan<Row>) {
    const { text = '', newestFirst = false, withPersonal = false } = filter
    const part = searchablePart(text)
    const isSearch = part !== '' || inParts
    const { wanted, ofCheck } = conditionsOf(filter, isSearch)
    const having = part === '' ? undefined : mayHave(part, database.sql, withPersonal ? personal : null)
    const order = newestFirst ? desc(findings.id) : asc(findings.id)
    const beyond = (id: number) => (newestFirst ? lt(findings.id, id) : gt(findings.id, id))

    async function batchBeyond(
      tx: Sql,
      id: number,
    ): Promise<{ readonly found: readonly Row[]; readonly last: number | undefined }> {
      const where = and(beyond(id), wanted)
      if (!isSearch) {
        const found = await rows(tx, where, order, batchSize)
        return { found, last: found.at(-1)?.id }
      }
      const range = and(beyond(id), filter.check === undefined ? undefined : ofCheck)
      const [end] = await idsOf(range, order, searchedAtOnce - 1).all(tx)
      const within = end === undefined ? undefined : newestFirst ? gte(findings.id, end.id) : lte(findings.id, end.id)
      return { found: await rows(tx, and(where, within, having), order, searchedAtOnce), last: end?.id }
    }

    for (let reached = from ?? (newestFirst ? Number.MAX_SAFE_INTEGER : 0); ; ) {
      const { found, last } = await database.read((tx) => batchBeyond(tx, reached))
      if (found.length > 0) yield found
      if (last === undefined) return
      reached = last
      if (isSearch) await yieldToEventLoop()
    }
  }

  async function* inEntityOrder(
    filter: FindingFilter,
    direction: 'ascending' | 'descending',
    from: EntityPlace | null,
  ) {
    const compare = entityOrder(direction)
    const places = () => scan(filter, { rows: (tx, ...of) => placesOf(...of).all(tx), inParts: true, from: undefined })
    let beyond = from
    for (let most = firstPlacesAtOnce; ; most *= 8) {
      const next = await firstPlaces(places(), { compare, most, beyond })
      for (let at = 0; at < next.length; at += batchSize) {
        const ids = next.slice(at, at + batchSize).map(({ id }) => id)
        const rows = await database.read((tx) =>
          wholeRows(filter)(tx, inArray(findings.id, ids), asc(findings.id), batchSize),
        )
        const byId = new Map(rows.map((row) => [row.id, row]))
        yield ids.flatMap((id) => byId.get(id) ?? [])
      }
      beyond = next.at(-1) ?? null
      if (next.length < most) return
    }
  }

  const wholeRows =
    ({ withPersonal = false }: FindingFilter) =>
    async (tx: Sql, ...of: Parameters<typeof rowsOf>): Promise<readonly Stored[]> => {
      const rows = await rowsOf(...of).all(tx)
      return withPersonal ? await addPersonal(tx, rows) : rows
    }

  async function* read(filter: FindingFilter) {
    const { after, byEntity } = filter
    const [start] =
      after === undefined
        ? []
        : await database.read((tx) => placesOf(eq(findings.fingerprint, after), asc(findings.id), 1).all(tx))
    if (after !== undefined && start === undefined) return
    const batches =
      byEntity === undefined
        ? scan(filter, { rows: wholeRows(filter), inParts: false, from: start?.id })
        : inEntityOrder(filter, byEntity, start ?? null)
    for await (const rows of batches) yield rows.map(toFinding)
  }

  return {
    findings: (filter) => read(filter),
  }
}

/** `rows`: reads rows that meet a condition. `from`: id after which the first batch begins. */
interface Scan<Row> {
  readonly rows: (tx: Sql, where: SQL | undefined, order: SQL, most: number) => Promise<readonly Row[]>
  readonly inParts: boolean
  readonly from: number | undefined
}

function conditionsOf(
  { tenantIds, all = false, check, fingerprints, since, severities: levels }: FindingFilter,
  isSearch: boolean,
) {
  // Expressions use no index: one of the tenant, or in display order, would read all findings for each batch.
  const tenantId = isSearch && check === undefined ? sql`+${findings.tenantId}` : sql`${findings.tenantId}`
  const severity = sql`${findings.severity} || ''`
  const ofCheck = and(
    tenantIds === undefined ? undefined : inArray(tenantId, [...tenantIds]),
    check === undefined ? undefined : eq(findings.check, check),
  )
  const wanted = and(
    ofCheck,
    levels === undefined ? undefined : inArray(severity, [...levels]),
    fingerprints === undefined ? undefined : inArray(findings.fingerprint, [...fingerprints]),
    all ? undefined : isNull(findings.resolvedAt),
    since === undefined ? undefined : exists(eventSince(since)),
  )
  return { wanted, ofCheck }
}

function eventSince(since: number) {
  const { id, tenantId, kind, subject, at } = events
  const ofFinding = and(
    eq(tenantId, findings.tenantId),
    inArray(kind, [...findingKinds]),
    eq(subject, findings.fingerprint),
  )
  return orm
    .select({ id })
    .from(events)
    .where(and(ofFinding, gte(at, since)))
}
