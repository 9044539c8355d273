import { entityTypeOf, recordsOfEntity } from '../../model/entity-names.ts'
import type { Database } from '../database.ts'
import type { Dialect, Sql } from '../db/db.ts'
import type { FindingRow } from '../port.ts'
import { type PersonalOf, presentPersonal } from '../records/personal-fields.ts'
import { type RecordShape, recordShapes } from '../records/record-shape.ts'

const namedTables = Object.values(recordShapes).filter(({ personal }) => personal.length > 0)

/**
 * All personal fields of the record that a row of `findings` is about, as one text; null without one. A subquery, because
 * PostgreSQL may read all records for a join.
 */
export function personalText(words: Pick<Dialect, 'jsonText'>): string {
  return `case "findings"."entity_type" ${namedTables.map((record) => whenOf(record, words)).join(' ')} end`
}

function whenOf({ resource, isNumbered, personal }: RecordShape, { jsonText }: Pick<Dialect, 'jsonText'>): string {
  const id = '"findings"."entity_id"'
  const fields = personal.map((field) => `coalesce(${jsonText('r.body', field)}, '')`).join(` || ' ' || `)
  // GUIDs match in any letter case, other ids only exactly.
  const isOfId = isNumbered ? `r.key = ${id}` : `r.key in (${id}, lower(${id})) order by r.key = ${id} desc limit 1`
  return `when '${entityTypeOf(resource)}' then (select ${fields} from records r
    where r.tenant_id = "findings"."tenant_id" and r.resource = '${resource}' and ${isOfId})`
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
      const record = recordShapes[resource]
      const keyOf = ({ entityId }: Row) => record.keyOf(entityId)
      const named = record.isNumbered ? group.filter((row) => keyOf(row) === row.entityId) : group
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
