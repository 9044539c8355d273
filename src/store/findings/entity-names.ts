import { getTableName } from 'drizzle-orm'
import { entityTypeOf, recordsOfEntity } from '../../model/entity-names.ts'
import type { Database } from '../database.ts'
import type { Dialect, Sql } from '../db/db.ts'
import type { FindingRow } from '../port.ts'
import { type PersonalOf, presentPersonal } from '../records/personal-fields.ts'
import { columnOf, type RecordTable, recordTables } from '../records/record-tables.ts'

const namedTables = Object.values(recordTables).filter(({ personal }) => personal.length > 0)

/**
 * All personal fields of the record that a row of `findings` is about, as one text; null without one. A subquery, because
 * PostgreSQL may read all records for a join.
 */
export function personalText(words: Pick<Dialect, 'integerOf'>): string {
  return `case "findings"."entity_type" ${namedTables.map((record) => whenOf(record, words)).join(' ')} end`
}

function whenOf(record: RecordTable, { integerOf }: Pick<Dialect, 'integerOf'>): string {
  const id = '"findings"."entity_id"'
  const key = `r.${columnOf(record, record.key)}`
  const fields = record.personal.map((field) => `coalesce(r.${columnOf(record, field)}, '')`).join(` || ' ' || `)
  // GUIDs match in any letter case, other ids only exactly.
  const isOfId = isNumbered(record)
    ? `${key} = ${integerOf(id)}`
    : `${key} in (${id}, lower(${id})) order by ${key} = ${id} desc limit 1`
  return `when '${entityTypeOf(record.resource)}' then (select ${fields} from "${getTableName(record.table)}" r
    where r.tenant_id = "findings"."tenant_id" and ${isOfId})`
}

function isNumbered({ keyOf }: RecordTable): boolean {
  return typeof keyOf(0) === 'number'
}

/** Adds the personal fields of the records that findings are about. */
export function personalReader(database: Database) {
  const personal: PersonalOf = presentPersonal(database)
  return async <Row extends Pick<FindingRow, 'entityType' | 'entityId'> & { readonly tenantId: number }>(
    tx: Sql,
    rows: readonly Row[],
  ): Promise<readonly (Row & Pick<FindingRow, 'personal'>)[]> => {
    const known = new Map<Row, Readonly<Record<string, unknown>>>()
    for (const group of Map.groupBy(rows, ({ tenantId, entityType }) => `${tenantId} ${entityType}`).values()) {
      const [first] = group
      const resource = recordsOfEntity(first?.entityType ?? '')
      if (first === undefined || resource === undefined) continue
      const record = recordTables[resource]
      const keyOf = ({ entityId }: Row) => String(record.keyOf(entityId))
      const named = isNumbered(record) ? group.filter((row) => keyOf(row) === row.entityId) : group
      const fields = await personal(tx, first.tenantId, resource, [...new Set(named.map(({ entityId }) => entityId))])
      for (const row of named) {
        const of = fields.get(keyOf(row))
        if (of !== undefined) known.set(row, of)
      }
    }
    return rows.map((row) => {
      const of = known.get(row)
      return of === undefined ? row : { ...row, personal: of }
    })
  }
}
