import { getTableName } from 'drizzle-orm'
import { tenants } from '../schema/index.ts'
import type { Database } from '../sqlite/database.ts'
import { columnOf, recordTables } from './record-tables.ts'

/** Times are in milliseconds since the epoch. */
export interface Erasure {
  /** By tenant: rows that ended before are erased. A tenant without an entry keeps everything. */
  readonly before: ReadonlyMap<number, number>
  /** Confirmed time; rows dated later were written under a wrong clock. */
  readonly now: number
  readonly latest?: number
}

/** Tables of the record, the column of the time, and the columns that identify a thing, whose last row stays. */
const ofTenants = [
  ['check_status_changes', 'at', 'tenant_id, "check"'],
  ['runs', 'ended_at', 'tenant_id, resource'],
  ['tenant_states', 'at', 'tenant_id'],
] as const

const singletons = Object.values(recordTables)
  .filter(({ idField }) => idField === null)
  .map(({ resource }) => `'${resource}'`)
  .join(', ')

/** Time before which the tenant's rows are erased; null, to which no time compares, where none are. */
const due = (table: string) => `(select erase_before from tenants t where t.id = ${table}.tenant_id)`

/**
 * Erases rows that ended before the retained time, except states still in effect then. Rows are dated by the local
 * clock, which may have been wrong. Therefore nothing is erased before the mirror itself is as old as the retention by
 * confirmed time, and rows written after a row of the retained time stay. Call inside a transaction.
 */
export function eraseRecord(database: Database, erasure: Erasure | number): void {
  const { before, now } = typeof erasure === 'number' ? ofAll(database, erasure) : sinceConfirmed(database, erasure)
  if (before.size === 0) return
  eraseBefore(database, before, now)
}

function ofAll({ orm }: Database, before: number): Erasure {
  const ids = orm.select().from(tenants).all()
  return { before: new Map(ids.map(({ id }) => [id, before] as const)), now: Number.MAX_SAFE_INTEGER }
}

/** Uses `latest`: a clock that is behind must not make the mirror old. An earlier time corrects one that is ahead. */
function sinceConfirmed({ raw }: Database, { before, now, latest = now }: Erasure): Erasure {
  const from = raw
    .prepare<[number], number>(
      `insert into retention (id, confirmed_from) values (1, ?)
       on conflict (id) do update set confirmed_from = case
         when retention.confirmed_from < excluded.confirmed_from then retention.confirmed_from else excluded.confirmed_from end
       returning confirmed_from`,
    )
    .pluck()
    .get(latest)
  return { before: new Map([...before].filter(([, time]) => time > (from ?? latest))), now }
}

function eraseBefore({ raw }: Database, before: ReadonlyMap<number, number>, now: number): void {
  const latest = Math.max(...before.values())
  const earliest = Math.min(...before.values())
  raw.exec('update tenants set erase_before = null where erase_before is not null')
  const eraseBefore = raw.prepare('update tenants set erase_before = ? where id = ?')
  for (const [tenantId, time] of before) eraseBefore.run(time, tenantId)

  // Plus signs keep SQLite from the index on the time: the first matching row by id is near.
  const firstKept = (table: string, time = 'at'): number =>
    raw
      .prepare<[number, number], number>(
        `select id from ${table} where +${time} >= ? and +${time} <= ? order by id limit 1`,
      )
      .pluck()
      .get(latest, now) ?? Number.MAX_SAFE_INTEGER
  const keptEvents = firstKept('finding_events')
  const old = (table: string, time = 'at', kept = firstKept(table, time)) =>
    `${table}.${time} < ${latest} and ${table}.${time} < ${due(table)} and ${table}.id < ${kept}`

  // The first change of each field of a singleton stays: drift is measured from that state.
  raw.exec(
    `delete from changes where ${old('changes')} and not (resource in (${singletons})
       and id in (select min(id) from changes where resource in (${singletons})
         group by tenant_id, resource, key, field))`,
  )
  raw.exec(
    `delete from findings where resolved_at < ${latest} and resolved_at < ${due('findings')}
       and not exists (select 1 from finding_events n
         where n.fingerprint = findings.fingerprint and n.id >= ${keptEvents})`,
  )
  for (const [table, time, thing] of ofTenants) {
    const isOld = old(table, time)
    raw.exec(
      `delete from ${table} where ${isOld}
         and id not in (select max(id) from ${table} where ${isOld} group by ${thing})`,
    )
  }
  const tenantOfEvent = `(select t.erase_before from findings f join tenants t on t.id = f.tenant_id
    where f.fingerprint = finding_events.fingerprint)`
  raw.exec(
    `delete from finding_events where at < ${latest} and id < ${keptEvents} and (
       exists (select 1 from finding_events n where n.fingerprint = finding_events.fingerprint
         and n.id > finding_events.id and n.at < ${tenantOfEvent} and n.id < ${keptEvents})
       or not exists (select 1 from findings f where f.fingerprint = finding_events.fingerprint))`,
  )
  raw.exec(
    `delete from waiver_changes where ${old('waiver_changes')} and (
       exists (select 1 from waiver_changes n where n.tenant_id = waiver_changes.tenant_id
         and n.waiver = waiver_changes.waiver and n.fingerprint is null and n.id > waiver_changes.id
         and n.at < ${due('waiver_changes')})
       or (fingerprint is not null
         and not exists (select 1 from findings f where f.fingerprint = waiver_changes.fingerprint)))`,
  )
  raw.exec('delete from waived_findings where fingerprint not in (select fingerprint from findings)')
  // Problems of checks that are no longer evaluated may quote a person or a file.
  raw.exec(
    `delete from check_problems where ${due('check_problems')} is not null
       and not exists (select 1 from check_states s where s.tenant_id = check_problems.tenant_id
         and s."check" = check_problems."check" and s.evaluated_at >= ${due('check_problems')})`,
  )
  erasePersonal(raw, latest)
  const configurations = `at < ${earliest} and id < ${firstKept('configurations')}`
  raw.exec(
    `delete from configurations where ${configurations}
       and id <> (select max(id) from configurations where ${configurations})`,
  )
  raw.exec(`delete from clock_steps where at < ${earliest} and latest < ${earliest}`)
  raw
    .prepare(
      `insert into retention (id, erased_before) values (1, ?)
       on conflict (id) do update set erased_before = case
         when retention.erased_before > excluded.erased_before then retention.erased_before else excluded.erased_before end`,
    )
    .run(latest)
}

/** Erases names once the history no longer has the row of the removal. */
function erasePersonal(raw: Database['raw'], latest: number): void {
  for (const record of Object.values(recordTables)) {
    const { table, resource } = record
    const columns = record.personal.map((field) => columnOf(record, field))
    if (columns.length === 0) continue
    const name = getTableName(table)
    const set = [...columns, '"extra"'].map((column) => `${column} = null`).join(', ')
    const present = columns.map((column) => `${column} is not null`).join(' or ')
    raw.exec(
      `update "${name}" set ${set} where removed_at < ${latest} and removed_at < ${due(`"${name}"`)} and (${present})
         and not exists (select 1 from changes c where c.tenant_id = "${name}".tenant_id and c.resource = '${resource}'
           and c.key = cast("${name}".${columnOf(record, record.key)} as text) and c.kind = 'removed')`,
    )
  }
}
