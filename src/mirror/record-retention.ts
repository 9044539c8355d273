import type { Database } from './database.ts'

/** Rows of which the last by then tells what held from then on, by what tells one thing from another. */
const lasting = [
  ['check_status_changes', 'at', 'tenant_id, "check"'],
  ['runs', 'ended_at', 'tenant_id, resource'],
  ['tenant_states', 'at', 'tenant_id'],
  ['configurations', 'at', '1 = 1'],
] as const

/**
 * Erases the record of what ended before `before`; what still held then stays. Expects to run inside the transaction that
 * erased the findings.
 */
export function eraseRecord({ raw }: Database, before: number): void {
  for (const [table, time, thing] of lasting) {
    raw
      .prepare(
        `delete from ${table} where ${time} < @before
           and id not in (select max(id) from ${table} where ${time} < @before group by ${thing})`,
      )
      .run({ before })
  }
  raw
    .prepare(
      `delete from finding_events where at < @before and (
         exists (select 1 from finding_events n
           where n.fingerprint = finding_events.fingerprint and n.id > finding_events.id and n.at < @before)
         or not exists (select 1 from findings f where f.fingerprint = finding_events.fingerprint))`,
    )
    .run({ before })
  raw
    .prepare(
      `delete from waiver_changes where at < @before and (
         exists (select 1 from waiver_changes n where n.tenant_id = waiver_changes.tenant_id
           and n.waiver = waiver_changes.waiver and n.fingerprint is null and n.id > waiver_changes.id and n.at < @before)
         or (fingerprint is not null
           and not exists (select 1 from findings f where f.fingerprint = waiver_changes.fingerprint)))`,
    )
    .run({ before })
  raw.prepare('delete from clock_steps where at < @before and latest < @before').run({ before })
  raw
    .prepare(
      `insert into retention (id, erased_before) values (1, @before)
       on conflict (id) do update set erased_before = max(coalesce(erased_before, excluded.erased_before), excluded.erased_before)`,
    )
    .run({ before })
}
