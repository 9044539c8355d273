import { identifying } from '../../resources/index.ts'
import type { Sql } from '../db/db.ts'
import type { OfResource } from '../sync/sync-port.ts'
import { isIdentified } from './removals.ts'

/** A row of `records`, as a page needs it; an array, because reading objects takes half as long again. */
export type KnownRow = readonly [
  key: string,
  rid: number,
  /** Null without a valid version. */
  body: string | null,
  /** 1 if an equal record changes nothing: it is live, not missing, and nothing else waits for it. */
  isSettled: number,
  /** 0 for a tombstone of a former tenant (docs/internals/sync.md#8-tenant-identity). */
  isKnown: number,
  isProvisional: number,
  supplement: string | null,
  problem: string | null,
  removedAt: number | null,
  /** With a problem. */
  raw: string | null,
]

/** Condition on a row that is no tombstone of a former tenant. */
export const isKnown = `(removed_at is null
  or rid > coalesce((select former_until from tenants where id = @tenantId), 0))`

/** Condition on a row that identifies the tenant. */
export const isIdentifying = `provisional = 0 and ${isKnown} and ${isIdentified}`

/** Condition on a row of a list whose ids exist in one tenant only. */
export const isOfIdentifyingList = `resource in (${identifying.map(({ name }) => `'${name}'`).join(', ')})`

const knownColumns = `key, rid, body,
  case when removed_at is null and missing_since is null and absent = 0 and accepted = 0
    and looked_up_at is null then 1 else 0 end,
  case when ${isKnown} then 1 else 0 end, provisional,
  supplement, problem, removed_at, raw`

export type KnownRows = ReadonlyMap<string, KnownRow>

export async function knownRows(
  sql: Sql,
  { tenantId, resource }: OfResource,
  keys: readonly string[],
): Promise<KnownRows> {
  const params = [{ tenantId, resource, keys }]
  const rows = await sql<KnownRow>(sql.dialect.recordsByKeys(knownColumns), params, 'arrays')
  return new Map(rows.map((row) => [row[0], row]))
}

/** True for a row that identifies the tenant. */
export function identifies(row: KnownRow | undefined): boolean {
  return row !== undefined && row[4] === 1 && row[5] === 0
}
