import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { dayMs } from '../../model/durations.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import type {
  Absence,
  AbsentRecord,
  BudgetQuery,
  MissingQuery,
  MissingRecord,
  Removal,
  RemovalBudget,
} from '../sync/page-rows.ts'
import { addLive } from '../sync/sync-states.ts'
import { unidentifiedPrefix } from './raw-text.ts'
import { appendRecordEvents, type RecordEvent } from './record-events.ts'
import type { RidSet } from './rid-set.ts'

const sliceSize = 2000

/** Time of a removal while nobody knew the time: the latest date. */
export const undated = 8_640_000_000_000_000

/** Condition on a row that is not removed and has an id. */
export const isPresent = `removed_at is null and key not like '${unidentifiedPrefix}%'`

const ofResource = 'tenant_id = @tenantId and resource = @resource'

interface OfResource {
  readonly tenantId: number
  readonly resource: ResourceName
}

/** Records that are not removed and that a pass did not return, in the order of their ids. */
export async function absentRecords(
  database: Database,
  { tenantId, resource }: OfResource,
  seen: Pick<RidSet, 'has'>,
): Promise<Absence> {
  const absent: AbsentRecord[] = []
  let live = 0
  for (let after = ''; ; ) {
    const params = [{ tenantId, resource, after }]
    const rows = await database.read((sql) => sql<[number, string, number, number]>(nextPresent, params, 'arrays'))
    for (const [rid, key, times, accepted] of rows)
      if (!seen.has(rid)) absent.push({ rid, key, fullSyncs: times + 1, accepted: accepted === 1 })
    live += rows.length
    if (rows.length < sliceSize) break
    after = rows.at(-1)?.[1] ?? ''
    await yieldToEventLoop()
  }
  return { live, absent: absent.sort((a, b) => a.rid - b.rid) }
}

const nextPresent = `select rid, key, absent, accepted from records
  where ${ofResource} and ${isPresent} and key > @after order by key limit ${sliceSize}`

/** Ids of the records that a removal of everything would remove. Call inside a transaction. */
export function removableRids(sql: Sql, of: OfResource): Promise<readonly number[]> {
  return sql<number>(`select rid from records where ${ofResource} and ${isPresent} order by rid`, [of], 'values')
}

/** Makes records tombstones; returns how many had a valid version. Call inside a transaction. */
export async function removeRecords(
  sql: Sql,
  database: Database,
  context: Removal,
  rids: readonly number[],
): Promise<number> {
  if (rids.length === 0) return 0
  const rows = await sql<{ key: string; isValid: number }>(
    `update records set removed_at = ?, missing_since = null, absent = 0, problem = null, raw = null, problem_since = null
     where ${database.sql.isIn('rid')} and tenant_id = ? and resource = ? and removed_at is null
     returning key, case when body is null then 0 else 1 end as "isValid"`,
    [context.removedAt ?? undated, database.sql.listOf(rids), context.tenantId, context.resource],
  )
  const removed = rows.filter(({ isValid }) => isValid === 1)
  const events = removed.map(({ key }): RecordEvent => ({ key, kind: 'record.removed' }))
  await appendRecordEvents(sql, database, context, events)
  await addLive(sql, context.tenantId, context.resource, -removed.length)
  return removed.length
}

/** Counts a whole pass that did not return the records. */
export async function countAbsence(sql: Sql, { sql: dialect }: Database, rids: readonly number[]): Promise<void> {
  if (rids.length > 0)
    await sql(`update records set absent = absent + 1 where ${dialect.isIn('rid')}`, [dialect.listOf(rids)])
}

export async function markMissing(
  sql: Sql,
  { sql: dialect }: Database,
  rids: readonly number[],
  at: number,
): Promise<void> {
  if (rids.length === 0) return
  await sql(`update records set missing_since = coalesce(missing_since, ?) where ${dialect.isIn('rid')}`, [
    at,
    dialect.listOf(rids),
  ])
}

/** Ends the quarantine of records that a whole pass did not return: those without an id, and tombstones. */
export async function endQuarantine(
  sql: Sql,
  { sql: dialect }: Database,
  of: OfResource,
  seen: Pick<RidSet, 'has'>,
): Promise<void> {
  const rows = await sql<{ rid: number; key: string }>(
    `select rid, key from records where ${ofResource} and problem is not null
       and (removed_at is not null or key like '${unidentifiedPrefix}%')`,
    [of],
  )
  const ended = rows.filter(({ rid }) => !seen.has(rid))
  if (ended.length === 0) return
  const rids = dialect.listOf(ended.map(({ rid }) => rid))
  await sql(`delete from records where ${dialect.isIn('rid')} and key like '${unidentifiedPrefix}%'`, [rids])
  await sql(`update records set problem = null, raw = null, problem_since = null where ${dialect.isIn('rid')}`, [rids])
}

/** Accepts the removal of records: the shrink guard does not count it. */
export async function acceptRemovals(sql: Sql, { sql: dialect }: Database, rids: readonly number[]): Promise<void> {
  await sql(`update records set accepted = 1 where ${dialect.isIn('rid')}`, [dialect.listOf(rids)])
}

export async function anyAccepted(sql: Sql, of: OfResource): Promise<boolean> {
  const text = `select 1 from records where ${ofResource} and accepted = 1 and removed_at is null limit 1`
  return (await sql(text, [of])).length > 0
}

export async function withdrawAccepted(sql: Sql, tenantId: number): Promise<void> {
  await sql('update records set accepted = 0 where tenant_id = ? and accepted = 1 and removed_at is null', [tenantId])
}

/** Removals so far no longer count for the shrink guard. */
export async function acceptPastRemovals(sql: Sql, tenantId: number): Promise<void> {
  await sql('update records set accepted = 1 where tenant_id = ? and removed_at is not null', [tenantId])
}

/**
 * What the shrink guard counts besides the records that are due (docs/sync.md#shrink-hold). While nobody knows the time,
 * every removal counts. Call inside a transaction.
 */
export async function removalBudget(sql: Sql, query: BudgetQuery): Promise<RemovalBudget> {
  const { tenantId, resource, now, heldSince = null } = query
  if (now !== null) await dateRemovals(sql, now, tenantId)
  const [since, createdSince] = now === null ? [0, 0] : [now - dayMs, Math.min(now, heldSince ?? now) - dayMs]
  const [counted] = await sql<RemovalBudget>(budgetText, [
    { tenantId, resource, since, createdSince, createdBy: now ?? undated },
  ])
  return counted ?? { removed: 0, created: 0 }
}

/** Removals of an unknown or a later time count from now on. */
async function dateRemovals(sql: Sql, now: number, tenantId: number): Promise<void> {
  await sql('update records set removed_at = @now where removed_at > @now and tenant_id = @tenantId', [
    { now, tenantId },
  ])
}

const budgetText = `select
  (select count(*) from records where ${ofResource} and removed_at > @since and accepted = 0) as removed,
  (select count(*) from records where ${ofResource} and removed_at is null and first_seen_at > @createdSince
     and first_seen_at <= @createdBy and first_seen_at > coalesce((select first_complete_at from sync_states
       where ${ofResource}), @createdBy)) as created`

/** Missing records, least recently looked up first. */
export function missingRecords(
  sql: Sql,
  { tenantId, resource, limit, onlyAccepted }: MissingQuery,
): Promise<readonly MissingRecord[]> {
  return sql<MissingRecord>(
    `select rid, key, absent as "fullSyncs", missing_since as "missingSince" from records
     where ${ofResource} and missing_since is not null and ${isPresent} and (@onlyAccepted = 0 or accepted = 1)
     order by looked_up_at is not null, looked_up_at, accepted desc, missing_since, rid limit @limit`,
    [{ tenantId, resource, limit, onlyAccepted: onlyAccepted ? 1 : 0 }],
  )
}
