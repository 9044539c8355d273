import { type Dialect, sqliteDialect } from '../../src/store/db/db.ts'

/** Where counts that are stored do not agree with a fresh count of what they count: records, and open findings. */
export function wrongCounts(dialect: Dialect, query: (sql: string) => readonly unknown[]): readonly unknown[] {
  const counts = dialect === sqliteDialect ? 'json_each(s.open)' : 'json_each_text(s.open::json)'
  return [wrongLive, findingsBy(counts)].flatMap(query)
}

const wrongLive = `select s.tenant_id, s.resource, s.live from sync_states s where s.live <> (select count(*) from records r
  where r.tenant_id = s.tenant_id and r.resource = s.resource and r.removed_at is null and r.body is not null)`

const findingsBy = (counts: string) => `select s.tenant_id, s."check", s.open from check_states s
  where (select coalesce(sum(cast(value as bigint)), 0) from ${counts}) <> (
    select count(*) from findings f
    where f.tenant_id = s.tenant_id and f."check" = s."check" and f.resolved_at is null)`
