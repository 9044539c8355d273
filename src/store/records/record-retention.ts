import { getTableName } from 'drizzle-orm'
import { sharedChain } from '../audit/logs.ts'
import { beginSealedErasure } from '../audit/sealed-erasure.ts'
import type { Database } from '../database.ts'
import { ended, type Steps } from '../steps.ts'
import { columnOf, recordTables } from './record-tables.ts'

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

const singletons = Object.values(recordTables)
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
export function* eraseRecord(database: Database, erasure: Erasure | number): Steps<void> {
  const due = typeof erasure === 'number' ? ofAll(database, erasure) : sinceConfirmed(database, erasure)
  const { before, now, at = now } = yield* due
  if (before.size > 0) yield* eraseBefore(database, { before, now, at })
}

function* ofAll(database: Database, before: number): Steps<Erasure> {
  const ids = yield* database.prepareValues<[], number>('select id from tenants').all()
  return { before: new Map(ids.map((id) => [id, before] as const)), now: Number.MAX_SAFE_INTEGER, at: before }
}

/**
 * Starts the retention at the first confirmed time, at most `latest`, so that a clock that is behind does not make the
 * mirror look old. An earlier time corrects one that was ahead.
 */
function* sinceConfirmed(database: Database, { before, now, at = now, latest = now }: Erasure): Steps<Erasure> {
  const from = yield* database
    .prepareValues<[number], number>(
      `insert into retention (id, confirmed_from) values (1, ?)
       on conflict (id) do update set confirmed_from = case
         when retention.confirmed_from < excluded.confirmed_from then retention.confirmed_from else excluded.confirmed_from end
       returning confirmed_from`,
    )
    .get(latest)
  return { before: new Map([...before].filter(([, time]) => time > (from ?? latest))), now, at }
}

function* eraseBefore(database: Database, { before, now, at }: Required<Omit<Erasure, 'latest'>>): Steps<void> {
  const exec = (text: string) => ended(database.prepare(text).run())
  const latest = Math.max(...before.values())
  const earliest = Math.min(...before.values())
  yield* exec('update tenants set erase_before = null where erase_before is not null')
  const eraseBefore = database.prepare<[number, number]>('update tenants set erase_before = ? where id = ?')
  for (const [tenantId, time] of before) yield* eraseBefore.run(time, tenantId)

  // Plus signs prevent SQLite from using the index on the time: the first matching row by id is near.
  function* firstKept(table: string, time = 'at'): Steps<number> {
    const first = database.prepareValues<[number, number], number>(
      `select id from ${table} where +${time} >= ? and +${time} <= ? order by id limit 1`,
    )
    return (yield* first.get(latest, now)) ?? Number.MAX_SAFE_INTEGER
  }
  const keptEvents = yield* firstKept('finding_events')
  const keptConfigurations = yield* firstKept('configurations')
  const sealed = yield* beginSealedErasure(database, [...before.keys(), sharedChain], {
    changes: yield* firstKept('changes'),
    check_status_changes: yield* firstKept('check_status_changes'),
    configurations: keptConfigurations,
    finding_events: keptEvents,
    tenant_states: yield* firstKept('tenant_states'),
    waiver_changes: yield* firstKept('waiver_changes'),
  })
  function* old(table: string, time = 'at'): Steps<string> {
    const kept = yield* firstKept(table, time)
    return `${table}.${time} < ${latest} and ${table}.${time} < ${due(table)} and ${table}.id < ${kept}`
  }

  // Keeps the first change of each field of a singleton, because drift is measured from that state.
  yield* exec(
    `delete from changes where ${yield* old('changes')} and not (resource in (${singletons})
       and id in (select min(id) from changes where resource in (${singletons})
         group by tenant_id, resource, key, field))`,
  )
  yield* exec(
    `delete from findings where resolved_at < ${latest} and resolved_at < ${due('findings')}
       and not exists (select 1 from finding_events n
         where n.fingerprint = findings.fingerprint and n.id >= ${keptEvents})`,
  )
  for (const [table, time, thing] of ofTenants) {
    const isOld = yield* old(table, time)
    yield* exec(
      `delete from ${table} where ${isOld}
         and id not in (select max(id) from ${table} where ${isOld} group by ${thing})`,
    )
  }
  yield* exec(
    `delete from finding_events where at < ${latest} and id < ${keptEvents} and (
       exists (select 1 from finding_events n where n.fingerprint = finding_events.fingerprint
         and n.id > finding_events.id and n.at < ${due('finding_events')} and n.id < ${keptEvents})
       or not exists (select 1 from findings f where f.fingerprint = finding_events.fingerprint))`,
  )
  yield* exec(
    `delete from waiver_changes where ${yield* old('waiver_changes')} and (
       exists (select 1 from waiver_changes n where n.tenant_id = waiver_changes.tenant_id
         and n.waiver = waiver_changes.waiver and n.fingerprint is null and n.id > waiver_changes.id
         and n.at < ${due('waiver_changes')})
       or (fingerprint is not null
         and not exists (select 1 from findings f where f.fingerprint = waiver_changes.fingerprint)))`,
  )
  yield* exec('delete from waived_findings where fingerprint not in (select fingerprint from findings)')
  // Erases problems of checks that are no longer evaluated, which may quote a person or a file.
  yield* exec(
    `delete from check_problems where ${due('check_problems')} is not null
       and not exists (select 1 from check_states s where s.tenant_id = check_problems.tenant_id
         and s."check" = check_problems."check" and s.evaluated_at >= ${due('check_problems')})`,
  )
  for (const text of personalErasures(latest)) yield* exec(text)
  const configurations = `at < ${earliest} and id < ${keptConfigurations}`
  yield* exec(
    `delete from configurations where ${configurations}
       and id <> (select max(id) from configurations where ${configurations})`,
  )
  yield* sealed.end(at)
  yield* exec(`delete from clock_steps where at < ${earliest} and latest < ${earliest}`)
  yield* database
    .prepare<[number]>(
      `insert into retention (id, erased_before) values (1, ?)
       on conflict (id) do update set erased_before = case
         when retention.erased_before > excluded.erased_before then retention.erased_before else excluded.erased_before end`,
    )
    .run(latest)
}

/** Erases names once the history no longer contains the removal. */
function personalErasures(latest: number): readonly string[] {
  return Object.values(recordTables).flatMap((record) => {
    const { table, resource } = record
    const columns = record.personal.map((field) => columnOf(record, field))
    if (columns.length === 0) return []
    const name = getTableName(table)
    const set = [...columns, '"extra"'].map((column) => `${column} = null`).join(', ')
    const present = columns.map((column) => `${column} is not null`).join(' or ')
    return [
      `update "${name}" set ${set} where removed_at < ${latest} and removed_at < ${due(`"${name}"`)} and (${present})
         and not exists (select 1 from changes c where c.tenant_id = "${name}".tenant_id and c.resource = '${resource}'
           and c.key = cast("${name}".${columnOf(record, record.key)} as text) and c.kind = 'removed')`,
    ]
  })
}
