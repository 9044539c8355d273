import { getTableName } from 'drizzle-orm'
import type { ResourceName } from '../../model/resource-names.ts'
import type { PageFingerprint, PageMemory } from '../port.ts'
import { fieldColumns } from '../records/record-codec.ts'
import { columnOf, recordTables } from '../records/record-tables.ts'
import { countRids, rangeOfRids } from '../records/rid-set.ts'
import type { Database } from '../sqlite/database.ts'

/** 256 neighboring record ids share one count. */
const blockBits = 8

/** A sum that grows with every change of a record in the range. */
export interface Revisions {
  of(resource: ResourceName, lowest: number, highest: number): number
}

/** Triggers count every change. They last as long as the connection, the only one that writes records. */
export function revisions({ raw }: Database): Revisions {
  for (const record of Object.values(recordTables)) {
    const name = getTableName(record.table)
    const watched = [...fieldColumns(record), record.key, 'extra', 'removedAt', 'missingSince', 'absentFullSyncs']
    const list = [...new Set(watched)].map((property) => columnOf(record, property)).join(', ')
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

interface Row {
  readonly digest: string
  readonly reading: string
  readonly note: string
  readonly rids: Buffer
  readonly lowest: number
  readonly highest: number
  readonly revision: number
}

/** Fingerprints of full sync pages. Call all methods but `find` inside a transaction. */
export interface PageFingerprints {
  find(tenantId: number, resource: ResourceName, page: number, reading: string): PageFingerprint | null
  /** Packed ids of the page's records; null when one of them has changed. */
  intact(tenantId: number, resource: ResourceName, page: number, memory: PageMemory): Buffer | null
  remember(
    tenantId: number,
    resource: ResourceName,
    page: number,
    memory: PageMemory & { readonly note: string },
    rids: Buffer,
  ): void
  forgetAfter(tenantId: number, resource: ResourceName, lastPage: number): void
}

export function pageFingerprints({ raw }: Database, revisions: Revisions): PageFingerprints {
  const find = raw.prepare<[number, string, number], Row>(
    `select digest, reading, note, rids, lowest, highest, revision from page_fingerprints
     where tenant_id = ? and resource = ? and page = ?`,
  )
  const put = raw.prepare(
    `insert into page_fingerprints
       (tenant_id, resource, page, digest, reading, note, rids, lowest, highest, revision)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (tenant_id, resource, page) do update set digest = excluded.digest, reading = excluded.reading,
       note = excluded.note, rids = excluded.rids, lowest = excluded.lowest, highest = excluded.highest,
       revision = excluded.revision`,
  )
  const forget = raw.prepare('delete from page_fingerprints where tenant_id = ? and resource = ? and page > ?')
  return {
    find(tenantId, resource, page, reading) {
      const row = find.get(tenantId, resource, page)
      if (row === undefined || row.reading !== reading) return null
      return { digest: row.digest, note: row.note, records: countRids(row.rids) }
    },
    intact(tenantId, resource, page, { digest, reading }) {
      const row = find.get(tenantId, resource, page)
      if (row === undefined || row.digest !== digest || row.reading !== reading) return null
      return revisions.of(resource, row.lowest, row.highest) === row.revision ? row.rids : null
    },
    remember(tenantId, resource, page, { digest, reading, note }, rids) {
      const [lowest, highest] = rangeOfRids(rids)
      const revision = revisions.of(resource, lowest, highest)
      put.run(tenantId, resource, page, digest, reading, note, rids, lowest, highest, revision)
    },
    forgetAfter(tenantId, resource, lastPage) {
      forget.run(tenantId, resource, lastPage)
    },
  }
}
