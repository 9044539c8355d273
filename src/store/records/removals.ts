import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { greatestSkewMs } from '../../model/server-clock.ts'
import { dayMs } from '../../model/time.ts'
import type { Db, Sql } from '../db/db.ts'
import { appendRecordEvents, type RecordContext, type RecordEvent } from '../event-store.ts'
import type { Absence, AbsentRecord, BudgetQuery, OfResource, RemovalBudget } from '../sync/sync-port.ts'
import { raiseVersion, stateRow } from '../sync/sync-states.ts'

const sliceSize = 2000

/** Prefix of the keys of records whose id cannot be read. */
export const unidentifiedPrefix = '?'

const ofResource = 'tenant_id = @tenantId and resource = @resource'

/** Condition on a row that has an id. */
export const isIdentified = `key not like '${unidentifiedPrefix}%'`

/** Condition on a row that is not removed and has an id. */
const isPresent = `removed_at is null and ${isIdentified}`

type Seen = Pick<ReadonlySet<number>, 'has'>

/** Records that are not removed and that a pass did not return, in the order of their ids. */
export async function absentRecords(db: Db, { tenantId, resource }: OfResource, seen: Seen): Promise<Absence> {
  const { isIn } = db.dialect
  const absent: AbsentRecord[] = []
  let identified = 0
  // Reads the index only; rows of a page of the table are far apart in it.
  for (let after = ''; ; ) {
    const rows = await db.read((sql) => sql<[string, number]>(nextKeys, [{ tenantId, resource, after }], 'arrays'))
    const unseen = rows.filter(([, rid]) => !seen.has(rid)).map(([, rid]) => rid)
    identified += rows.filter(([key]) => !key.startsWith(unidentifiedPrefix)).length
    if (unseen.length > 0) {
      const text = `select rid, key, absent, accepted, first_seen_at from records where ${isIn('rid')} and ${isPresent}`
      const found = await db.read((sql) => sql<[number, string, number, number, number]>(text, [unseen], 'arrays'))
      for (const [rid, key, times, accepted, firstSeenAt] of found)
        absent.push({ rid, key, fullSyncs: times + 1, accepted: accepted === 1, firstSeenAt })
    }
    if (rows.length < sliceSize) break
    after = rows.at(-1)?.[0] ?? ''
    await yieldToEventLoop()
  }
  const [removed = 0] = await db.read((sql) => sql<number>(countRemoved, [{ tenantId, resource }], 'values'))
  return { live: identified - removed, absent: absent.sort((a, b) => a.rid - b.rid) }
}

const nextKeys = `select key, rid from records where ${ofResource} and key > @after order by key limit ${sliceSize}`

const countRemoved = `select count(*) from records where ${ofResource} and removed_at is not null`

/** Ids of the records that a removal of everything would remove. */
export function removableRids(sql: Sql, { tenantId, resource }: OfResource): Promise<readonly number[]> {
  const text = `select rid from records where ${ofResource} and ${isPresent} order by rid`
  return sql<number>(text, [{ tenantId, resource }], 'values')
}

/** Rows that a whole list does not contain and that it would remove, or end the quarantine of. */
export async function rowsBeside(sql: Sql, { tenantId, resource }: OfResource, seen: Seen): Promise<readonly number[]> {
  const text = `select rid from records where ${ofResource} and (${isPresent} or problem is not null)`
  const rids = await sql<number>(text, [{ tenantId, resource }], 'values')
  return rids.filter((rid) => !seen.has(rid))
}

/** Makes records tombstones; returns how many had a valid version. */
export async function removeRecords(
  sql: Sql,
  context: RecordContext,
  rids: readonly number[],
  removedAt: number,
): Promise<number> {
  if (rids.length === 0) return 0
  const { tenantId, resource } = context
  const rows = await sql<{ key: string; isValid: number }>(
    `update records set removed_at = ?, missing_since = null, absent = 0, problem = null, raw = null, problem_since = null
     where ${sql.dialect.isIn('rid')} and tenant_id = ? and resource = ? and ${isPresent}
     returning key, case when body is null then 0 else 1 end as "isValid"`,
    [removedAt, rids, tenantId, resource],
  )
  const removed = rows.filter(({ isValid }) => isValid === 1)
  const events = removed.map(({ key }): RecordEvent => ({ key, kind: 'record.removed' }))
  await appendRecordEvents(sql, context, events)
  if (removed.length > 0) await raiseVersion(sql, tenantId, resource, -removed.length)
  return removed.length
}

export async function markMissing(sql: Sql, rids: readonly number[], at: number): Promise<void> {
  const text = `update records set missing_since = coalesce(missing_since, ?) where ${sql.dialect.isIn('rid')} and ${isPresent}`
  if (rids.length > 0) await sql(text, [at, rids])
}

/**
 * Ends the quarantine of records that a complete full sync did not return: those without an id, and tombstones unless it
 * was not whole. Returns how many.
 */
export async function endQuarantine(
  sql: Sql,
  { tenantId, resource }: OfResource,
  seen: Seen,
  notWhole: boolean,
): Promise<number> {
  const isEnding = `problem is not null and not (${notWhole ? isIdentified : isPresent})`
  const text = `select rid from records where ${ofResource} and ${isEnding}`
  const quarantined = await sql<number>(text, [{ tenantId, resource }], 'values')
  const ended = quarantined.filter((rid) => !seen.has(rid))
  if (ended.length === 0) return 0
  const isIn = sql.dialect.isIn('rid')
  await sql(`delete from records where ${isIn} and key like '${unidentifiedPrefix}%'`, [ended])
  await sql(`update records set problem = null, raw = null, problem_since = null where ${isIn}`, [ended])
  return ended.length
}

/** Accepts the removal of records: the shrink guard does not count it. */
export async function acceptRemovals(sql: Sql, rids: readonly number[]): Promise<void> {
  await sql(`update records set accepted = 1 where ${sql.dialect.isIn('rid')}`, [rids])
}

/** Removals so far no longer count for the shrink guard. */
export async function acceptPastRemovals(sql: Sql, tenantId: number): Promise<void> {
  await sql('update records set accepted = 1 where tenant_id = ? and removed_at is not null', [tenantId])
}

/**
 * What the shrink guard counts besides the records that are due (docs/internals/sync.md#6-shrink-guard). Removals under a
 * clock that was set back since count from `latest` on.
 */
export async function removalBudget(
  sql: Sql,
  { tenantId, resource, now, latest, heldSince = null }: BudgetQuery,
): Promise<RemovalBudget> {
  const text = 'update records set removed_at = @latest where removed_at > @latest and tenant_id = @tenantId'
  await sql(text, [{ latest, tenantId }])
  const [since, createdSince] = [now - dayMs, Math.min(now, heldSince ?? now) - dayMs]
  const until = latest + greatestSkewMs
  const { firstCompleteAt } = await stateRow(sql, tenantId, resource)
  const base = { after: Math.max(createdSince, firstCompleteAt ?? until), until }
  const [counted] = await sql<Omit<RemovalBudget, 'base'>>(budgetText, [{ tenantId, resource, since, ...base }])
  return { base, ...(counted ?? { removed: 0, removedNew: 0, created: 0 }) }
}

const isNew = 'first_seen_at > @after and first_seen_at <= @until'
const countOf = (which: string) =>
  `(select count(*) from records where ${ofResource} and accepted = 0 and ${isIdentified} and ${which})`
const isRemoved = 'removed_at > @since'

const budgetText = `select ${countOf(isRemoved)} as removed, ${countOf(`${isRemoved} and ${isNew}`)} as "removedNew",
  ${countOf(`(removed_at is null or ${isRemoved}) and ${isNew}`)} as created`
