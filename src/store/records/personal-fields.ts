import type { ResourceName } from '../../model/resource-names.ts'
import type { Db, Sql } from '../db/db.ts'
import { fromJson } from '../words.ts'
import { recordShapes } from './record-shape.ts'

export type PersonalOf = (
  tx: Sql,
  tenantId: number,
  resource: ResourceName,
  ids: readonly string[],
) => Promise<Map<string, Record<string, unknown>>>

/** Reads current personal fields of records by key, of removed ones until their erasure. */
export function presentPersonal({ dialect: { recordsByKeys, listOf } }: Db): PersonalOf {
  return async (sql, tenantId, resource, ids) => {
    const { keyOf, personal } = recordShapes[resource]
    const found = new Map<string, Record<string, unknown>>()
    if (ids.length === 0 || personal.length === 0) return found
    const params = [{ tenantId, resource, keys: listOf(ids.map(keyOf)) }]
    for (const [key, body] of await sql<[string, string]>(
      recordsByKeys('key, body', 'body is not null'),
      params,
      'arrays',
    )) {
      const fields = fromJson(body) as Record<string, unknown>
      found.set(key, Object.fromEntries(personal.map((field) => [field, fields[field] ?? null])))
    }
    return found
  }
}
