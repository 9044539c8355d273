import { getTableName } from 'drizzle-orm'
import { isoMs } from '../../model/dates.ts'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { PersonMark, SyncStore } from '../port.ts'
import type { Database, Operations } from '../sqlite/database.ts'
import { columnOf, recordTables } from './record-tables.ts'

type Raw = { readonly id: number; readonly email: unknown; readonly createdAt: unknown }

/** Compares persons by `createdAt` and `email` (letter case ignored), which are unique within a tenant. */
export function personComparison(database: Database): Operations<Pick<SyncStore, 'comparePersons'>> {
  const byResource = memoize((resource: ResourceName) => statementsOf(database.raw, resource))
  return {
    comparePersons: (tenantId, resource, page) =>
      database.run(() => {
        const { known, quarantined, oldestLive } = byResource(resource)
        const marks = new Map(page.map((person) => [person.id, person]))
        const isEqual = (person: PersonMark) => {
          const shown = marks.get(person.id)
          return shown?.createdAt === person.createdAt && lower(shown.email) === lower(person.email)
        }
        const ids = JSON.stringify([...marks.keys()])
        const neverGood = quarantined.all(tenantId, resource, ids)
        const equal = [...known.all(tenantId, ids), ...neverGood.flatMap(markOf)].filter(isEqual).length
        const oldest = oldestLive.all(tenantId, marks.size - neverGood.length)
        return { equal, oldest: oldest.length, oldestShown: oldest.filter((id) => marks.has(id)).length }
      }),
  }
}

function statementsOf(raw: Database['raw'], resource: ResourceName) {
  const record = recordTables[resource]
  const { table, key, person } = record
  if (person === undefined) throw new TypeError(`The records of ${resource} are no persons`)
  const name = `"${getTableName(table)}"`
  const [id, email, createdAt] = [key, person.email, `${person.createdAt}Ms`].map((one) => columnOf(record, one))
  return {
    known: raw.prepare<[number, string], PersonMark>(
      `select ${id} as id, ${email} as email, ${createdAt} as createdAt from ${name}
       where tenant_id = ? and ${id} in (select value from json_each(?))`,
    ),
    // A record that was never valid exists only in quarantine.
    quarantined: raw.prepare<[number, string, string], Raw>(
      `select cast(key as integer) as id, raw ->> '$.${person.email}' as email, raw ->> '$.${person.createdAt}' as createdAt
       from quarantine q where tenant_id = ? and resource = ? and json_valid(raw) and key in (select cast(value as text) from json_each(?))
         and not exists (select 1 from ${name} u where u.tenant_id = q.tenant_id and u.${id} = cast(q.key as integer))`,
    ),
    oldestLive: raw
      .prepare<[number, number], number>(
        `select ${id} from ${name} where tenant_id = ? and removed_at is null order by ${createdAt}, ${id} limit ?`,
      )
      .pluck(),
  }
}

function markOf({ id, email, createdAt }: Raw): PersonMark[] {
  const ms = isoMs(createdAt)
  return ms === null ? [] : [{ id, email: typeof email === 'string' ? email : null, createdAt: ms }]
}

const lower = (email: string | null) => email?.toLowerCase() ?? null
