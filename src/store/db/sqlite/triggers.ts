import type BetterSqlite3 from 'better-sqlite3'
import { getTableName } from 'drizzle-orm'
import { missing, nameOf } from '../../records/record-counts.ts'
import { columnOf, type RecordTable, recordTables } from '../../records/record-tables.ts'
import { sqliteDialect } from './dialect.ts'

/** Triggers that update counts. `tallies` counts new records, for which a trigger would take half of an insert. */
export function keepCounts(raw: BetterSqlite3.Database): void {
  for (const record of Object.values(recordTables)) {
    for (const grouping of record.counted) {
      const columns = grouping.map((field) => columnOf(record, field))
      const value = (row: string) => sqliteDialect.jsonArray(columns.map((column) => `${row}.${column}`))
      const differs = columns.map((column) => `old.${column} is not new.${column}`)
      raw.exec(triggers(record, { name: nameOf(grouping), columns, value, differs, counts: isLive }))
    }
    const differs = [`old.missing_since is null is not (new.missing_since is null)`]
    const counts = (row: string) => `${isLive(row)} and ${row}.missing_since is not null`
    raw.exec(triggers(record, { name: missing, columns: ['"missing_since"'], value: () => `'[]'`, differs, counts }))
  }
}

const isLive = (row: string) => `${row}.removed_at is null`

interface Kept {
  readonly name: string
  readonly columns: readonly string[]
  readonly value: (row: string) => string
  readonly differs: readonly string[]
  readonly counts: (row: string) => string
}

function triggers({ resource, table }: RecordTable, { name, columns, value, differs, counts }: Kept): string {
  const from = getTableName(table)
  const key = `tenant_id = old.tenant_id and resource = '${resource}' and grouping = '${name}' and value = ${value('old')}`
  const less = `
    update record_counts set count = count - 1 where ${key} and ${counts('old')};
    delete from record_counts where ${key} and count = 0;`
  const more = `
    insert into record_counts (tenant_id, resource, grouping, value, count)
      select new.tenant_id, '${resource}', '${name}', ${value('new')}, 1 where ${counts('new')}
      on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;`
  const moved = ['old.removed_at is null is not (new.removed_at is null)', ...differs].join(' or ')
  return `
    create temp trigger "${from} count ${name} update" after update of ${['"removed_at"', ...columns].join(', ')}
      on main."${from}" when ${moved} begin ${less} ${more} end;
    create temp trigger "${from} count ${name} delete" after delete on main."${from}" begin ${less} end;`
}
