import { getTableColumns, getTableName } from 'drizzle-orm'
import type { ResourceName } from '../../model/resource-names.ts'
import { fieldColumns } from '../records/record-codec.ts'
import { recordTables } from '../records/record-tables.ts'
import type { Database } from '../sqlite/database.ts'

/** 256 neighbouring record ids share one count. */
const blockBits = 8

/** A sum that grows with every change of a record in the range. */
export interface Revisions {
  of(resource: ResourceName, lowest: number, highest: number): number
}

/** Triggers count every change. They last as long as the connection, the only one that writes records. */
export function revisions({ raw }: Database): Revisions {
  for (const record of Object.values(recordTables)) {
    const columns = getTableColumns(record.table)
    const name = getTableName(record.table)
    const watched = [...fieldColumns(record), record.key, 'extra', 'removedAt', 'missingSince', 'absentFullSyncs']
    const list = [...new Set(watched)].map((property) => `"${columns[property]?.name ?? property}"`).join(', ')
    for (const event of [`update of ${list}`, 'delete']) {
      raw.exec(
        `create temp trigger "${name} ${event.slice(0, 6)}" after ${event} on main."${name}" begin
           insert into record_revisions (resource, block, revision)
           values ('${record.resource}', old.rid >> ${blockBits}, 1)
           on conflict (resource, block) do update set revision = revision + 1;
         end`,
      )
    }
  }
  const sum = raw
    .prepare<[string, number, number], number>(
      `select coalesce(sum(revision), 0) from record_revisions
       where resource = ? and block between ? >> ${blockBits} and ? >> ${blockBits}`,
    )
    .pluck()
  return { of: (resource, lowest, highest) => sum.get(resource, lowest, highest) ?? 0 }
}
