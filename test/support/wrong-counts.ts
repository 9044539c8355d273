import { countDifferences } from '../../src/mirror/records/record-counts.ts'

const findings = `select s.tenant_id, s."check", s.open from check_states s
  where s.owing = 0 and (select coalesce(sum(value), 0) from json_each(s.open)) != (
    select count(*) from findings f
    where f.tenant_id = s.tenant_id and f."check" = s."check" and f.resolved_at is null)`

/** Where counts that are kept do not agree with a fresh count of what they count: records, and open findings. */
export function wrongCounts(query: (sql: string) => readonly unknown[]): readonly unknown[] {
  return [...countDifferences(), findings].flatMap(query)
}
