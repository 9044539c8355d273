import type { Database } from '../database.ts'
import type { List } from '../db/db.ts'
import { presentPersonal } from '../records/personal-fields.ts'
import { recordShapes } from '../records/record-shape.ts'
import type { PastReader } from './evidence-port.ts'
import type { RecordAsOf } from './record-as-of.ts'

interface LaterChange {
  readonly key: string
  readonly field: string
  readonly before: string | null
}

/** The value of a field at that time is the old value of its first later change; without one, the current value. */
export function pastPersonal(database: Database, asOf: RecordAsOf): PastReader['personal'] {
  const { sql } = database
  const present = presentPersonal(database)
  const later = database.prepare<[number, string, List, List], LaterChange>(
    `select key, field, before from changes c where tenant_id = ? and resource = ? and ${sql.isIn('key')}
       and ${sql.isIn('field')} and not (${asOf.within('changes', 'c')}) order by id desc`,
  )
  return (tenantId, resource, ids) =>
    database.read(async (tx) => {
      const { keyOf, personal } = recordShapes[resource]
      const found = await present(tx, tenantId, resource, ids)
      if (found.size === 0) return found
      const texts = [...found.keys()]
      for (const { key, field, before } of await later.all(
        tx,
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
          const fields = found.get(String(keyOf(id)))
          return fields === undefined ? [] : [[id, fields] as const]
        }),
      )
    })
}
