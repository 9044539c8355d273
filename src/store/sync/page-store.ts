import type { FieldKind } from '../../model/fields.ts'
import { type AnyRecord, idOf } from '../../model/reading.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import { noCounts } from '../../model/run-result.ts'
import { isoMs, secondMs } from '../../model/time.ts'
import type { Db, Sql } from '../db/db.ts'
import { appendRecordEvents } from '../event-store.ts'
import { identifies, isIdentifying, isOfIdentifyingList, type KnownRow, knownRows } from '../records/known-rows.ts'
import { comparisonOf, PageChanges } from '../records/page-changes.ts'
import { differingFields, sinceOf, supplementOf } from '../records/record-body.ts'
import { isLive } from '../records/record-reader.ts'
import { recordShapes } from '../records/record-shape.ts'
import { endQuarantine, markMissing, removeRecords, rowsBeside } from '../records/removals.ts'
import { distinctItems } from '../records/same-id.ts'
import { fromJson } from '../rows.ts'
import { advanceFullSync } from './full-sync-store.ts'
import type { DetailAnswer, OfResource, PageCommit, PageResult } from './sync-port.ts'
import { raiseVersion, saveCompletion, saveState, stateRow } from './sync-states.ts'

const nothing: PageResult = {
  admitted: true,
  counts: noCounts,
  rotated: 0,
  relevant: 0,
  contradictory: [],
  detailDue: [],
  rids: [],
}

/** Pages and answers by id. */
export function pageStore(db: Db) {
  return {
    /** A page, the cursor that follows it and its events, in one transaction (docs/internals/sync.md#1-page). */
    async commitPage(page: PageCommit): Promise<PageResult> {
      const { items, fullSync, cursor, whole } = page
      if (items.length === 0 && fullSync === undefined && cursor === undefined && whole === undefined) return nothing
      return await db.write((sql) => commit(sql, page))
    },
    /** Counts ids that identify the tenant: live, tombstoned or quarantined, not of a former tenant, not provisional. */
    identifyingKeys: (tenantId: number, resource: ResourceName, ids: readonly (string | number)[]) =>
      db.read(async (sql) => {
        const keys = [...new Set(ids.map(recordShapes[resource].keyOf))]
        const rows = await knownRows(sql, { tenantId, resource }, keys)
        return [...rows.values()].filter(identifies).length
      }),
    /** Keys of the records whose details are read next in rotation; moves the rotation on. */
    nextDetails: (tenantId: number, resource: ResourceName, limit: number) =>
      db.write(async (sql) => {
        const { detailsAfter } = await stateRow(sql, tenantId, resource)
        const text = `select key from records where tenant_id = @tenantId and resource = @resource and ${isLive}
          and missing_since is null and key > @after order by key limit @limit`
        const next = (after: string) => sql<string>(text, [{ tenantId, resource, after, limit }], 'values')
        const keys = await next(detailsAfter ?? '')
        // The rotation begins again after the last record.
        if (keys.length < limit) keys.push(...(await next('')).filter((key) => !keys.includes(key)))
        const due = keys.slice(0, limit)
        await saveState(sql, tenantId, resource, { detailsAfter: due.at(-1) })
        return due
      }),
    /**
     * Stores the details of answers by id (docs/internals/sync.md#16-details); resolves with the fields in which each answer
     * differs from the mirror, null where they cannot be compared.
     */
    saveDetails: (tenantId: number, resource: ResourceName, answers: readonly DetailAnswer[]) =>
      db.write(async (sql) => {
        const of = { tenantId, resource }
        const shape = recordShapes[resource]
        const keys = answers.map(({ item }) => shape.keyOf(idOf(item, shape.idField)))
        const known = await knownRows(sql, of, keys)
        const differing: (readonly string[] | null)[] = []
        for (const [i, answer] of answers.entries()) {
          const row = known.get(keys[i] ?? '')
          differing.push(row === undefined ? null : await saveDetail(sql, of, row, answer))
        }
        // For equal values, too: results may have ended with the time at which a detail was read.
        await raiseVersion(sql, tenantId, resource)
        return differing
      }),
  }
}

async function commit(sql: Sql, page: PageCommit): Promise<PageResult> {
  const { tenantId, resource, fullSync, whole } = page
  const distinct = distinctItems(recordShapes[resource], page.items)
  const known = await knownRows(sql, page, [...distinct.items.keys()])
  const comparison = comparisonOf(distinct, known)
  const isProvisional = comparison.identifying === 0 && (await mayBeOthers(sql, page))
  const changes = new PageChanges(page, distinct, known, { seen: fullSync?.seen ?? null, isProvisional })
  const beside = whole === undefined ? [] : await rowsBeside(sql, page, new Set(changes.rids))
  const differs = !changes.isEmpty || beside.length > 0
  if (page.admit?.({ ...changes.compared(comparison), differs }) === false) return { ...nothing, admitted: false }
  await changes.write(sql)
  const { rids, counts, rotated, relevant, contradicted, detailDue, notWhole } = changes
  if (fullSync !== undefined) await advanceFullSync(sql, fullSync, { notWhole, at: page.at, rids })
  let removed = 0
  if (whole !== undefined && beside.length > 0) removed = await removeBeside(sql, page, changes, beside)
  const { at, cursor, serverTime } = page
  const stated = { cursor, ...(serverTime !== undefined && { serverTime, serverTimeAt: at }) }
  const liveBy = differs ? changes.live : undefined
  if (whole === undefined) await saveState(sql, tenantId, resource, stated, liveBy)
  else await saveCompletion(sql, page, whole, { at, requestId: page.requestId, ...stated }, liveBy)
  return {
    admitted: true,
    counts: { ...counts, removed },
    rotated,
    relevant,
    contradictory: [...contradicted],
    detailDue,
    rids,
  }
}

/** True if the mirror has records that identify the tenant, so that a page without one may be another tenant's. */
async function mayBeOthers(sql: Sql, { tenantId, provisional, items }: PageCommit): Promise<boolean> {
  if (provisional !== true || items.length === 0) return false
  const text = `select 1 from records where tenant_id = @tenantId and ${isOfIdentifyingList} and ${isIdentifying} limit 1`
  return (await sql(text, [{ tenantId }])).length > 0
}

/** Removes the records that a list in one answer lacks. */
async function removeBeside(
  sql: Sql,
  page: PageCommit,
  { rids, notWhole }: PageChanges,
  beside: readonly number[],
): Promise<number> {
  await endQuarantine(sql, page, new Set(rids), notWhole)
  if (notWhole) {
    // A record without a readable id may be one of the absent ones.
    await markMissing(sql, beside, page.at)
    return 0
  }
  return removeRecords(sql, page, beside, page.whole?.serverTime ?? page.at)
}

async function saveDetail(
  sql: Sql,
  of: OfResource,
  [key, rid, body, , , , supplement, , removedAt]: KnownRow,
  { item, at, requestId }: DetailAnswer,
): Promise<readonly string[] | null> {
  const shape = recordShapes[of.resource]
  const { detail } = shape
  if (!item.ok || body === null || removedAt !== null || detail === null) return null
  const listed = fromJson(body) as AnyRecord
  const differing = differingFields(shape, listed, { ...item.record, extra: listed['extra'] }).filter(
    (field) => field !== detail.states && !isNotation(shape.fields[field], listed[field], item.record[field]),
  )
  const value = item.record[detail.states]
  if (differing.includes(detail.until) || typeof value !== 'number') return differing
  const { [detail.states]: stored, [`${detail.states}Before`]: earlier, ...rest } = supplementOf(supplement)
  const before = stored ?? earlier
  const since = sinceOf(detail.states)
  const times = { detailReadAt: at, [since]: before === value ? (rest[since] ?? at) : at }
  const text = JSON.stringify({ ...rest, [detail.states]: value, ...times })
  await sql('update records set supplement = ? where rid = ?', [text, rid])
  // The first answer adds the detail; only later differences are changes in the tenant.
  if (before !== undefined && before !== value)
    await appendRecordEvents(sql, { ...of, at, requestId }, [
      { key, kind: 'record.changed', fields: { [detail.states]: [before, value] } },
    ])
  return differing
}

/** True for the same instant to the second, or texts that differ only in letter case and surrounding spaces. */
function isNotation(kind: FieldKind | undefined, one: unknown, other: unknown): boolean {
  if (kind === 'date') return Math.abs((isoMs(one) ?? 0) - (isoMs(other) ?? Infinity)) < secondMs
  const plain = (text: string) => text.trim().toLowerCase()
  return typeof one === 'string' && typeof other === 'string' && plain(one) === plain(other)
}
