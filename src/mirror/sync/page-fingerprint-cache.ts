import type { ResourceName } from '../../model/resource-names.ts'
import type { Revisions } from '../history/revisions.ts'
import type { PageFingerprint, PageMemory } from '../port.ts'
import { countRids, rangeOfRids } from '../records/rid-set.ts'
import type { Database } from '../sqlite/database.ts'

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
    `insert or replace into page_fingerprints
       (tenant_id, resource, page, digest, reading, note, rids, lowest, highest, revision)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
