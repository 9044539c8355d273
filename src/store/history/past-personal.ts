import type { Database } from '../database.ts'
import type { List } from '../db/db.ts'
import { recordSubject } from '../event-store.ts'
import { presentPersonal } from '../records/personal-fields.ts'
import { recordShapes } from '../records/record-shape.ts'
import type { AsOf } from './as-of.ts'
import type { PastReader } from './evidence-port.ts'
import { changesIn, ofRecords, recordEventColumns, type StoredRecordEvent } from './record-changes.ts'

/** The value of a field at that time is the old value of its first later change; without one, the current value. */
export function pastPersonal(database: Database, asOf: AsOf): PastReader['personal'] {
  const { sql } = database
  const present = presentPersonal(database)
  const later = database.prepare<[number, List], StoredRecordEvent>(
    `select ${recordEventColumns('e')} from events e where tenant_id = ? and ${ofRecords} and ${sql.isIn('subject')}
       and not (${asOf.events('e')}) order by +id desc`,
  )
  return (tenantId, resource, ids) =>
    database.read(async (tx) => {
      const { keyOf, personal } = recordShapes[resource]
      const found = await present(tx, tenantId, resource, ids)
      if (found.size === 0) return found
      const subjects = [...found.keys()].map((key) => recordSubject(resource, key))
      for (const { key, field, before } of (await later.all(tx, tenantId, sql.listOf(subjects))).flatMap(changesIn)) {
        const fields = found.get(key)
        if (fields !== undefined && field !== null && personal.includes(field)) fields[field] = before
      }
      return new Map(
        ids.flatMap((id) => {
          const fields = found.get(String(keyOf(id)))
          return fields === undefined ? [] : [[id, fields] as const]
        }),
      )
    })
}
