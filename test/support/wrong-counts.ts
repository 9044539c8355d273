import type { Words } from '../../src/store/database.ts'
import { countDifferences } from '../../src/store/records/record-counts.ts'
import { words as sqliteWords } from '../../src/store/sqlite/words.ts'

const findingsBy = (counts: string) => `select s.tenant_id, s."check", s.open from check_states s
  where s.owing = 0 and (select coalesce(sum(cast(value as bigint)), 0) from ${counts}) <> (
    select count(*) from findings f
    where f.tenant_id = s.tenant_id and f."check" = s."check" and f.resolved_at is null)`

/** Where counts that are kept do not agree with a fresh count of what they count: records, and open findings. */
export function wrongCounts(words: Words, query: (sql: string) => readonly unknown[]): readonly unknown[] {
  const counts = words === sqliteWords ? 'json_each(s.open)' : 'json_each_text(s.open::json)'
  return [...countDifferences(words), findingsBy(counts)].flatMap(query)
}
