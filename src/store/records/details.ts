import { isoMs } from '../../model/dates.ts'
import { secondMs } from '../../model/durations.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import type { DetailAnswer, DetailResult, Fields, LookUp } from '../sync/page-rows.ts'
import { saveState, stateRow } from '../sync/sync-states.ts'
import { fromJson } from '../words.ts'
import { differingFields, supplementOf } from './record-body.ts'
import { appendRecordEvents } from './record-events.ts'
import { type KnownRow, knownRows } from './record-page.ts'
import { isLive } from './record-reader.ts'
import { type FieldKind, recordShapes } from './record-shape.ts'
import { keyOfItem } from './same-id.ts'

interface OfResource {
  readonly tenantId: number
  readonly resource: ResourceName
}

/** Records whose details are read next: those never read, then in rotation. Call inside a transaction that writes. */
export async function nextDetails(sql: Sql, of: OfResource, limit: number): Promise<readonly LookUp[]> {
  const { tenantId, resource } = of
  const after = (await stateRow(sql, tenantId, resource))?.detailsAfter ?? ''
  const readAt = `%"${recordShapes[resource].detail?.readAt}"%`
  const next = async (which: string, from: string, most: number) =>
    most === 0
      ? []
      : sql<LookUp>(
          `select rid, key from records where tenant_id = @tenantId and resource = @resource and ${isLive}
           and missing_since is null and ${which} and key > @from order by key limit @most`,
          [{ tenantId, resource, from, most, ...(which === neverRead && { readAt }) }],
        )
  const never = await next(neverRead, '', limit)
  const rows = await next('true', after, limit - never.length)
  const begin = after === '' ? [] : await next('true', '', limit - never.length - rows.length)
  const found = [...new Map([...never, ...rows, ...begin].map((row) => [row.rid, row])).values()]
  await saveState(sql, tenantId, resource, { detailsAfter: (begin.at(-1) ?? rows.at(-1))?.key })
  return found
}

const neverRead = '(supplement is null or supplement not like @readAt)'

/**
 * Stores the details of answers by id whose field that the detail depends on equals the list's
 * (docs/sync.md#user-details). Call inside a transaction.
 */
export async function saveDetails(
  sql: Sql,
  database: Database,
  of: OfResource,
  answers: readonly DetailAnswer[],
): Promise<readonly DetailResult[]> {
  const shape = recordShapes[of.resource]
  const keys = answers.map(({ item }) => keyOfItem(shape, item))
  const known = await knownRows(sql, database, of, keys)
  const results: DetailResult[] = []
  for (const [i, answer] of answers.entries()) {
    const row = known.get(keys[i] ?? '')
    results.push(row === undefined ? noDetail : await saveDetail(sql, database, { of, row, answer }))
  }
  return results
}

const noDetail: DetailResult = { supplied: false, differing: null }

async function saveDetail(
  sql: Sql,
  database: Database,
  { of, row, answer }: { readonly of: OfResource; readonly row: KnownRow; readonly answer: DetailAnswer },
): Promise<DetailResult> {
  const { key, rid, body, supplement, removedAt } = row
  const { item, at, requestId } = answer
  const { tenantId, resource } = of
  const shape = recordShapes[resource]
  const { detail } = shape
  if (!item.ok || body === null || removedAt !== null || detail === null) return noDetail
  const listed = fromJson(body) as Fields
  const differing = differingFields(shape, listed, { ...item.record, extra: listed['extra'] }).filter(
    (field) => field !== detail.field && !isNotation(shape.fields[field], listed[field], item.record[field]),
  )
  const value = item.record[detail.field]
  if (differing.includes(detail.dependsOn) || typeof value !== 'number') return { supplied: false, differing }
  const { [detail.field]: stored, [`${detail.field}Before`]: earlier, ...rest } = supplementOf(supplement)
  const before = stored ?? earlier
  const text = JSON.stringify({ ...rest, [detail.field]: value, [detail.readAt]: at })
  await sql('update records set supplement = ? where rid = ?', [text, rid])
  // The first answer adds the detail; only later differences are changes in the tenant.
  if (before !== undefined && before !== value)
    await appendRecordEvents(sql, database, { tenantId, resource, at, requestId }, [
      { key, kind: 'record.changed', fields: { [detail.field]: [before, value] } },
    ])
  return { supplied: true, differing }
}

/** True for the same instant to the second, or texts that differ only in letter case and surrounding spaces. */
function isNotation(kind: FieldKind | undefined, one: unknown, other: unknown): boolean {
  if (kind === 'date') return Math.abs((isoMs(one) ?? 0) - (isoMs(other) ?? Infinity)) < secondMs
  return typeof one === 'string' && typeof other === 'string' && plain(one) === plain(other)
}

const plain = (text: string) => text.trim().toLowerCase()
