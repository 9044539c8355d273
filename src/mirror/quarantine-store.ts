import { createHash } from 'node:crypto'
import { getTableColumns, getTableName } from 'drizzle-orm'
import type { ResourceName } from '../model/resource-names.ts'
import type { Database } from './database.ts'
import type { Incoming } from './port.ts'
import type { RecordTable } from './record-table.ts'
import { recordTables } from './record-tables.ts'
import { remembered } from './remembered.ts'

const maxRawLength = 64 * 1024

/** Stands for the walk of a list that one answer holds whole; stored walks begin at 1. */
export const wholeWalk = 0

export interface QuarantineContext {
  readonly tenantId: number
  readonly at: number
  readonly requestId: string | null
  readonly walkId: number | null
}

/** Keeps records that could not be trusted, raw, with the reason. */
export interface QuarantineStore {
  /** Stores one; returns its key, or null when no id could be read. */
  hold(table: RecordTable, item: Incoming & { ok: false }, context: QuarantineContext): string | number | null
  /** To be called when a walk begins: nothing was held by it yet, also where its id was another walk's before. */
  begin(tenantId: number, table: RecordTable): void
  /** Drops what a complete walk showed well or not at all, less live records whose removal is not decided. */
  release(tenantId: number, table: RecordTable, walkId: number): void
  knows(tenantId: number, table: RecordTable, key: string): boolean
  holdsAny(tenantId: number, table: RecordTable): boolean
}

export function quarantineStore({ raw }: Database): QuarantineStore {
  const upsert = raw.prepare(
    `insert into quarantine (tenant_id, resource, key, raw, problem, first_seen_at, last_seen_at, request_id, walk_id)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (tenant_id, resource, key) do update set raw = excluded.raw, problem = excluded.problem,
       last_seen_at = excluded.last_seen_at, request_id = excluded.request_id, walk_id = excluded.walk_id`,
  )
  const unmark = raw.prepare(
    'update quarantine set walk_id = null where tenant_id = ? and resource = ? and walk_id is not null',
  )
  // Of a live record that the walk did not show, the removal is not decided yet.
  const drop = remembered((resource: ResourceName) => {
    const { table, key } = recordTables[resource]
    const column = getTableColumns(table)[key]?.name ?? key
    return raw.prepare(
      `delete from quarantine where tenant_id = ? and resource = ? and walk_id is not ?
         and not exists (select 1 from "${getTableName(table)}" r
           where r.tenant_id = quarantine.tenant_id and r."${column}" = quarantine.key and r.removed_at is null
             and (r.absent_walks > 0 or r.missing_since is not null))`,
    )
  })
  const find = raw.prepare('select 1 from quarantine where tenant_id = ? and resource = ? and key = ?').pluck()
  const any = raw.prepare('select 1 from quarantine where tenant_id = ? and resource = ? limit 1').pluck()
  return {
    hold(table, item, { tenantId, at, requestId, walkId }) {
      const text = rawText(item.raw)
      const key = item.id === null ? null : table.keyOf(item.id)
      const stored = key === null ? `?${createHash('sha256').update(text).digest('hex').slice(0, 32)}` : String(key)
      upsert.run(tenantId, table.resource, stored, text.slice(0, maxRawLength), item.problem, at, at, requestId, walkId)
      return key
    },
    begin(tenantId, table) {
      unmark.run(tenantId, table.resource)
    },
    release(tenantId, table, walkId) {
      drop(table.resource).run(tenantId, table.resource, walkId)
    },
    knows: (tenantId, table, key) => find.get(tenantId, table.resource, key) !== undefined,
    holdsAny: (tenantId, table) => any.get(tenantId, table.resource) !== undefined,
  }
}

/** ECMAScript's `JSON.rawJSON`, which the type library does not name yet: a text that `JSON.stringify` writes as it is. */
const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown }

/** JSON that reads back as the same value: a number beyond what a double holds, read as infinite, would become null. */
function rawText(raw: unknown): string {
  const infinite = (value: unknown) => value === Infinity || value === -Infinity
  return (
    JSON.stringify(raw, (_, value) => (infinite(value) ? rawJSON(value > 0 ? '1e400' : '-1e400') : value)) ?? 'null'
  )
}
