import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { Database, List, TenantKeys } from '../database.ts'
import { columnOf, type RecordTable, recordTables, type Stored } from '../records/record-tables.ts'
import type { PastReader } from './evidence-port.ts'
import type { RecordAsOf } from './record-as-of.ts'

interface LaterChange {
  readonly key: string
  readonly field: string
  readonly before: string | null
}

/** A field had the value before its first change after that time; without one, the present value. */
export function pastPersonal(database: Database, asOf: RecordAsOf): PastReader['personal'] {
  const { sql } = database
  const present = memoize((record: RecordTable) => {
    const key = columnOf(record, record.key)
    const columns = [record.key, ...record.personal].map((field) => columnOf(record, field))
    return database.prepareRows<[TenantKeys], Stored[]>(
      sql.selectByKeys({ columns, table: getTableName(record.table), key }),
    )
  })
  const later = database.prepare<[number, string, List, List], LaterChange>(
    `select key, field, before from changes c where tenant_id = ? and resource = ? and ${sql.isIn('key')}
       and ${sql.isIn('field')} and not (${asOf.within('changes', 'c')}) order by id desc`,
  )
  return (tenantId, resource, ids) =>
    database.read(function* () {
      const record = recordTables[resource]
      const { personal } = record
      const keys = ids
        .map((id) => record.keyOf(id))
        .filter((key) => typeof key === 'string' || Number.isSafeInteger(key))
      const found = new Map<string, Record<string, unknown>>()
      if (keys.length === 0 || personal.length === 0) return found
      const rows = yield* present(record).all({ tenantId, keys: sql.listOf(keys) })
      for (const [key, ...values] of rows)
        found.set(String(key), Object.fromEntries(personal.map((field, i) => [field, values[i] ?? null])))
      const texts = [...found.keys()]
      for (const { key, field, before } of yield* later.all(
        tenantId,
        resource,
        sql.listOf(texts),
        sql.listOf(personal),
      )) {
        const fields = found.get(key)
        if (fields !== undefined) fields[field] = before === null ? null : JSON.parse(before)
      }
      return new Map(
        ids.flatMap((id) => {
          const fields = found.get(String(record.keyOf(id)))
          return fields === undefined ? [] : [[id, fields] as const]
        }),
      )
    })
}
