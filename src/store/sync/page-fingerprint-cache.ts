import type { ResourceName } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { PageFingerprint, PageMemory } from '../port.ts'
import { countRids, rangeOfRids } from '../records/rid-set.ts'
import type { Step, Steps } from '../steps.ts'

/** Blocks of 256 record ids share one counter. */
export const blockBits = 8

interface Row {
  readonly digest: string
  readonly reading: string
  readonly note: string
  readonly rids: Buffer
  readonly intact: number
}

/** Pages read ahead, because a full sync requests them in order. */
const pagesAtOnce = 50

/** Pages read ahead for a full sync of a resource. */
interface ReadAhead {
  next: number
  readonly last: number
  readonly pages: ReadonlyMap<number, PageFingerprint & Pick<PageMemory, 'reading'>>
}

/** Fingerprints of full sync pages. Call `intact`, `remember` and `forgetAfter` inside a transaction. */
export interface PageFingerprints {
  /** The fingerprint when it was read ahead; undefined = not read yet, call `readAhead`. */
  known(tenantId: number, resource: ResourceName, page: number, reading: string): PageFingerprint | null | undefined
  readAhead(tenantId: number, resource: ResourceName, page: number): Steps<void>
  /** Packed ids of the page's records; null if one of them has changed. */
  intact(tenantId: number, resource: ResourceName, page: number, memory: PageMemory): Steps<Buffer | null>
  remember(
    tenantId: number,
    resource: ResourceName,
    page: number,
    memory: PageMemory & { readonly note: string },
    rids: Buffer,
  ): Step<void>
  forgetAfter(tenantId: number, resource: ResourceName, lastPage: number): Step<void>
}

/** A sum that grows with every change of a record in the range. */
const revisionOf = (resource: string, lowest: string, highest: string) =>
  `(select coalesce(sum(r.revision), 0) from record_revisions r where r.resource = ${resource}
     and r.block between ${lowest} >> ${blockBits} and ${highest} >> ${blockBits})`

export function pageFingerprints(database: Database): PageFingerprints {
  const find = database.prepare<[number, string, number], Row>(
    `select digest, reading, note, rids,
       revision = ${revisionOf('page_fingerprints.resource', 'lowest', 'highest')} as intact
     from page_fingerprints where tenant_id = ? and resource = ? and page = ?`,
  )
  const findSome = database.prepare<[number, string, number, number], Omit<Row, 'intact'> & { page: number }>(
    `select page, digest, reading, note, rids from page_fingerprints
     where tenant_id = ? and resource = ? and page >= ? and page <= ?`,
  )
  const ahead = new Map<string, ReadAhead>()
  type Range = readonly [lowest: number, highest: number]
  const put = database.prepare<
    [number, string, number, string, string, string, Buffer, ...Range, resource: string, ...Range]
  >(
    `insert into page_fingerprints
       (tenant_id, resource, page, digest, reading, note, rids, lowest, highest, revision)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ${revisionOf('?', '?', '?')})
     on conflict (tenant_id, resource, page) do update set digest = excluded.digest, reading = excluded.reading,
       note = excluded.note, rids = excluded.rids, lowest = excluded.lowest, highest = excluded.highest,
       revision = excluded.revision`,
  )
  const forget = database.prepare<[number, string, number]>(
    'delete from page_fingerprints where tenant_id = ? and resource = ? and page > ?',
  )
  return {
    known(tenantId, resource, page, reading) {
      const read = ahead.get(`${tenantId} ${resource}`)
      if (read === undefined || page < read.next || page > read.last) return undefined
      read.next = page + 1
      const row = read.pages.get(page)
      if (row === undefined || row.reading !== reading) return null
      return { digest: row.digest, note: row.note, records: row.records }
    },
    *readAhead(tenantId, resource, page) {
      const last = page + pagesAtOnce - 1
      const rows = yield* findSome.all(tenantId, resource, page, last)
      const pages = new Map(rows.map(({ page, rids, ...row }) => [page, { ...row, records: countRids(rids) }]))
      ahead.set(`${tenantId} ${resource}`, { next: page, last, pages })
    },
    *intact(tenantId, resource, page, { digest, reading }) {
      const row = yield* find.get(tenantId, resource, page)
      if (row === undefined || row.digest !== digest || row.reading !== reading) return null
      return row.intact === 1 ? row.rids : null
    },
    remember(tenantId, resource, page, { digest, reading, note }, rids) {
      const range = rangeOfRids(rids)
      return put.run(tenantId, resource, page, digest, reading, note, rids, ...range, resource, ...range)
    },
    forgetAfter(tenantId, resource, lastPage) {
      ahead.delete(`${tenantId} ${resource}`)
      return forget.run(tenantId, resource, lastPage)
    },
  }
}
