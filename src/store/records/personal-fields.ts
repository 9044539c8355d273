import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { Sql, TenantKeys } from '../db/db.ts'
import { columnOf, type RecordTable, recordTables, type Stored } from './record-tables.ts'

export type PersonalOf = (
  tx: Sql,
  tenantId: number,
  resource: ResourceName,
  ids: readonly string[],
) => Promise<Map<string, Record<string, unknown>>>

/** Reads current personal fields of records by key, of removed ones until their erasure. */
export function presentPersonal(database: Database): PersonalOf {
  const { selectByKeys, listOf } = database.sql
  const byKeys = memoize((record: RecordTable) => {
    const key = columnOf(record, record.key)
    const columns = [record.key, ...record.personal].map((field) => columnOf(record, field))
    return database.prepareRows<[TenantKeys], Stored[]>(
      selectByKeys({ columns, table: getTableName(record.table), key }),
    )
  })
  return async (tx: Sql, tenantId, resource, ids) => {
    const record = recordTables[resource]
    const { personal } = record
    const keys = ids.map((id) => record.keyOf(id)).filter((key) => typeof key === 'string' || Number.isSafeInteger(key))
    const found = new Map<string, Record<string, unknown>>()
    if (keys.length === 0 || personal.length === 0) return found
    for (const [key, ...values] of await byKeys(record).all(tx, { tenantId, keys: listOf(keys) }))
      found.set(String(key), Object.fromEntries(personal.map((field, i) => [field, values[i] ?? null])))
    return found
  }
}
