import { sharedChain } from '../audit/logs.ts'
import { beginSealedErasure } from '../audit/sealed-erasure.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { recordShapes } from './record-shape.ts'

/** Times are in milliseconds since the epoch. */
export interface Erasure {
  /** By tenant, the time before which ended rows are erased. A tenant without an entry keeps everything. */
  readonly before: ReadonlyMap<number, number>
  /** Confirmed time; rows dated later were written under a wrong clock. */
  readonly now: number
  readonly latest?: number
  /** Local time, for the audit chain's entry of the erasure; absent = `now`. */
  readonly at?: number
}

/** Tables of the history, with the time column, and columns that identify a thing, whose last row is kept. */
const ofTenants = [
  ['check_status_changes', 'at', 'tenant_id, "check"'],
  ['runs', 'ended_at', 'tenant_id, resource'],
  ['tenant_states', 'at', 'tenant_id'],
] as const

const singletons = Object.values(recordShapes)
  .filter(({ idField }) => idField === null)
  .map(({ resource }) => `'${resource}'`)
  .join(', ')

/** Time before which the tenant's rows are erased; null if none are, which no comparison matches. */
const due = (table: string) => `(select erase_before from tenants t where t.id = ${table}.tenant_id)`

/**
 * Erases rows that ended before the retained time, except states still in effect then. Rows are dated by the local
 * clock, which may have been wrong. Therefore nothing is erased before the mirror itself is as old as the retention by
 * confirmed time, and rows written after a row of the retained time stay. Call inside a transaction.
 */
export async function eraseRecord(tx: Sql, database: Database, erasure: Erasure | number): Promise<void> {
  const due = typeof erasure === 'number' ? ofAll(tx, database, erasure) : sinceConfirmed(tx, database, erasure)
  const { before, now, at = now } = await due
  if (before.size > 0) await eraseBefore(tx, database, { before, now, at })
}

async function ofAll(tx: Sql, database: Database, before: number): Promise<Erasure> {
  const ids = await database.prepareValues<[], number>('select id from tenants').all(tx)
  return { before: new Map(ids.map((id) => [id, before] as const)), now: Number.MAX_SAFE_INTEGER, at: before }
}

/**
 * Starts the retention at the first confirmed time, at most `latest`, so that a clock that is behind does not make the
 * mirror look old. An earlier time corrects one that was ahead.
 */
async function sinceConfirmed(
  tx: Sql,
  database: Database,
  { before, now, at = now, latest = now }: Erasure,
): Promise<Erasure> {
  const from = await database
    .prepareValues<[number], number>(
      `insert into retention (id, confirmed_from) values (1, ?)
       on conflict (id) do update set confirmed_from = case
         when retention.confirmed_from < excluded.confirmed_from then retention.confirmed_from else excluded.confirmed_from end
       returning confirmed_from`,
    )
    .get(tx, latest)
  return { before: new Map([...before].filter(([, time]) => time > (from ?? latest))), now, at }
}

async function eraseBefore(
  tx: Sql,
  database: Database,
  { before, now, at }: Required<Omit<Erasure, 'latest'>>,
): Promise<void> {
  const exec = (tx: Sql, text: string) => database.prepare(text).run(tx)
  const latest = Math.max(...before.values())
  const earliest = Math.min(...before.values())
  await exec(tx, 'update tenants set erase_before = null where erase_before is not null')
  const eraseBefore = database.prepare<[number, number]>('update tenants set erase_before = ? where id = ?')
  for (const [tenantId, time] of before) await eraseBefore.run(tx, time, tenantId)

  // Plus signs prevent SQLite from using the index on the time: the first matching row by id is near.
  async function firstKept(tx: Sql, table: string, time = 'at'): Promise<number> {
    const first = database.prepareValues<[number, number], number>(
      `select id from ${table} where +${time} >= ? and +${time} <= ? order by id limit 1`,
    )
    return (await first.get(tx, latest, now)) ?? Number.MAX_SAFE_INTEGER
  }
  const keptEvents = await firstKept(tx, 'finding_events')
  const keptConfigurations = await firstKept(tx, 'configurations')
  const sealed = await beginSealedErasure(tx, database, [...before.keys(), sharedChain], {
    changes: await firstKept(tx, 'changes'),
    check_status_changes: await firstKept(tx, 'check_status_changes'),
    configurations: keptConfigurations,
    finding_events: keptEvents,
    tenant_states: await firstKept(tx, 'tenant_states'),
    waiver_changes: await firstKept(tx, 'waiver_changes'),
  })
  async function old(tx: Sql, table: string, time = 'at'): Promise<string> {
    const kept = await firstKept(tx, table, time)
    return `${table}.${time} < ${latest} and ${table}.${time} < ${due(table)} and ${table}.id < ${kept}`
  }

  // Keeps the first change of each field of a singleton, because drift is measured from that state.
  await exec(
    tx,
    `delete from changes where ${await old(tx, 'changes')} and not (resource in (${singletons})
       and id in (select min(id) from changes where resource in (${singletons})
         group by tenant_id, resource, key, field))`,
  )
  await exec(
    tx,
    `delete from findings where resolved_at < ${latest} and resolved_at < ${due('findings')}
       and not exists (select 1 from finding_events n
         where n.fingerprint = findings.fingerprint and n.id >= ${keptEvents})`,
  )
  for (const [table, time, thing] of ofTenants) {
    const isOld = await old(tx, table, time)
    await exec(
      tx,
      `delete from ${table} where ${isOld}
         and id not in (select max(id) from ${table} where ${isOld} group by ${thing})`,
    )
  }
  await exec(
    tx,
    `delete from finding_events where at < ${latest} and id < ${keptEvents} and (
       exists (select 1 from finding_events n where n.fingerprint = finding_events.fingerprint
         and n.id > finding_events.id and n.at < ${due('finding_events')} and n.id < ${keptEvents})
       or not exists (select 1 from findings f where f.fingerprint = finding_events.fingerprint))`,
  )
  await exec(
    tx,
    `delete from waiver_changes where ${await old(tx, 'waiver_changes')} and (
       exists (select 1 from waiver_changes n where n.tenant_id = waiver_changes.tenant_id
         and n.waiver = waiver_changes.waiver and n.fingerprint is null and n.id > waiver_changes.id
         and n.at < ${due('waiver_changes')})
       or (fingerprint is not null
         and not exists (select 1 from findings f where f.fingerprint = waiver_changes.fingerprint)))`,
  )
  await exec(tx, 'delete from waived_findings where fingerprint not in (select fingerprint from findings)')
  // Erases problems of checks that are no longer evaluated, which may quote a person or a file.
  await exec(
    tx,
    `delete from check_problems where ${due('check_problems')} is not null
       and not exists (select 1 from check_states s where s.tenant_id = check_problems.tenant_id
         and s."check" = check_problems."check" and s.evaluated_at >= ${due('check_problems')})`,
  )
  await exec(
    tx,
    `update records set body = null, supplement = null, raw = null
     where removed_at < ${latest} and removed_at < ${due('records')} and body is not null
       and not exists (select 1 from changes c where c.tenant_id = records.tenant_id and c.resource = records.resource
         and c.key = records.key and c.kind = 'removed')`,
  )
  const configurations = `at < ${earliest} and id < ${keptConfigurations}`
  await exec(
    tx,
    `delete from configurations where ${configurations}
       and id <> (select max(id) from configurations where ${configurations})`,
  )
  await sealed.end(tx, at)
  await exec(tx, `delete from clock_steps where at < ${earliest} and latest < ${earliest}`)
  await database
    .prepare<[number]>(
      `insert into retention (id, erased_before) values (1, ?)
       on conflict (id) do update set erased_before = case
         when retention.erased_before > excluded.erased_before then retention.erased_before else excluded.erased_before end`,
    )
    .run(tx, latest)
}
