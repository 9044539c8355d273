import type { Db, Sql } from '../db/db.ts'
import { type EventErasure, eraseEvents } from '../history/event-erasure.ts'

/** Times are in milliseconds since the epoch. */
export interface Erasure {
  /** By tenant, the time before which ended rows are erased. A tenant without an entry keeps everything. */
  readonly before: ReadonlyMap<number, number>
  /** Confirmed time; rows dated later were written under a wrong clock. */
  readonly now: number
  readonly latest?: number
  /** Local time, for the event of the erasure; absent = `now`. */
  readonly at?: number
}

/** Time before which the tenant's rows are erased; null if none are, which no comparison matches. */
const due = (table: string) => `(select erase_before from tenants t where t.id = ${table}.tenant_id)`

/**
 * Erases rows that ended before the retained time, except states still in effect then. Rows are dated by the local
 * clock, which may have been wrong. Therefore nothing is erased before the mirror itself is as old as the retention by
 * confirmed time, and what was written after something of the retained time stays. Call inside a transaction.
 */
export async function eraseRecord(
  sql: Sql,
  db: Db,
  { before: wanted, now, at = now, latest = now }: Erasure,
): Promise<void> {
  // The retention starts at the first confirmed time, at most `latest`, so that a clock that is behind does not make the
  // mirror look old. An earlier time corrects one that was ahead.
  const [from = latest] = await sql<number>(
    `insert into retention (id, confirmed_from) values (1, ?)
     on conflict (id) do update set confirmed_from = case
       when retention.confirmed_from < excluded.confirmed_from then retention.confirmed_from else excluded.confirmed_from end
     returning confirmed_from`,
    [latest],
    'values',
  )
  const before = new Map([...wanted].filter(([, time]) => time > from))
  if (before.size > 0) await eraseBefore(sql, db, { before, now, at })
}

async function eraseBefore(sql: Sql, db: Db, { before, now, at }: Required<Omit<Erasure, 'latest'>>): Promise<void> {
  const latest = Math.max(...before.values())
  await sql('update tenants set erase_before = null where erase_before is not null')
  for (const [tenantId, time] of before) await sql('update tenants set erase_before = ? where id = ?', [time, tenantId])
  await eraseEvents(sql, db, { earliest: Math.min(...before.values()), latest, now, at })
  await eraseRuns(sql, { latest, now })
  await sql('delete from waived_findings where fingerprint not in (select fingerprint from findings)')
  // Erases problems of checks that are no longer evaluated, which may quote a person or a file.
  await sql(
    `update check_states set problem = null where problem is not null and evaluated_at < ${due('check_states')}`,
  )
  await sql('update sync_states set version = version + 1')
  // Else a removal whose time nobody knew would keep its names for ever.
  await sql('update records set removed_at = @now where removed_at > @now', [{ now }])
  // Erases names once the history no longer contains the removal.
  await sql(
    `update records set body = null, supplement = null, raw = null
     where removed_at < @latest and removed_at < ${due('records')} and body is not null
       and not exists (select 1 from events e where e.tenant_id = records.tenant_id and e.kind = 'record.removed'
         and e.subject = records.resource || '/' || records.key and e.data is not null)`,
    [{ latest }],
  )
}

/** Keeps the last run of each resource before that time, and those written after one of the retained time. */
async function eraseRuns(sql: Sql, { latest, now }: Pick<EventErasure, 'latest' | 'now'>) {
  const first = 'select id from runs where ended_at >= ? and ended_at <= ? order by id limit 1'
  const [kept = Number.MAX_SAFE_INTEGER] = await sql<number>(first, [latest, now], 'values')
  const isOld = `ended_at < @latest and ended_at < ${due('runs')} and id < @kept`
  await sql(
    `delete from runs where ${isOld} and id not in (select max(id) from runs where ${isOld} group by tenant_id, resource)`,
    [{ latest, kept }],
  )
}
