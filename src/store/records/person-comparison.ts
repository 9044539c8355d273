import { getTableName } from 'drizzle-orm'
import { isoMs, secondOf } from '../../model/dates.ts'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { List, TenantKeys } from '../db/db.ts'
import type { Fields, PersonMark, SyncStore } from '../port.ts'
import { columnOf, recordTables } from './record-tables.ts'

interface Quarantined {
  readonly key: string
  readonly raw: string
}

/** Compares persons by `email`, in any letter case, and `createdAt` to the second, as a server may drop fractions. */
export function personComparison(database: Database): Pick<SyncStore, 'comparePersons'> {
  const byResource = memoize((resource: ResourceName) => statementsOf(database, resource))
  return {
    comparePersons: (tenantId, resource, page) =>
      database.read(async (tx) => {
        const { listOf } = database.sql
        const { known, quarantined, oldestLive, email, createdAt } = byResource(resource)
        const marks = new Map(page.map((person) => [person.id, person]))
        const isEqual = (person: PersonMark) => {
          const shown = marks.get(person.id)
          if (shown === undefined || lower(shown.email) !== lower(person.email)) return false
          return secondOf(shown.createdAt) === secondOf(person.createdAt)
        }
        const ids = [...marks.keys()]
        const mirrored = await known.all(tx, { tenantId, keys: listOf(ids) })
        const stored = new Set(mirrored.map(({ id }) => id))
        // A record that was never valid only exists in quarantine.
        const neverGood = (await quarantined.all(tx, tenantId, resource, listOf(ids.map(String))))
          .map(({ key, raw }) => ({ id: Number(key), record: parsed(raw) }))
          .filter(({ id, record }) => record !== null && !stored.has(id))
        const marked = neverGood.flatMap(({ id, record }) => markOf(id, record?.[email], record?.[createdAt]))
        const equal = [...mirrored, ...marked].filter(isEqual).length
        const oldest = await oldestLive.all(tx, tenantId, marks.size - neverGood.length)
        return { equal, oldest: oldest.length, oldestShown: oldest.filter((id) => marks.has(id)).length }
      }),
  }
}

function statementsOf(database: Database, resource: ResourceName) {
  const { isIn, selectByKeys } = database.sql
  const record = recordTables[resource]
  const { table, key, person } = record
  if (person === undefined) throw new TypeError(`The records of ${resource} are no persons`)
  const name = `"${getTableName(table)}"`
  const id = columnOf(record, key)
  const email = columnOf(record, person.email)
  const createdAt = columnOf(record, `${person.createdAt}Ms`)
  return {
    known: database.prepare<[TenantKeys], PersonMark>(
      selectByKeys({
        columns: [`${id} as id`, `${email} as email`, `${createdAt} as "createdAt"`],
        table: getTableName(table),
        key: id,
      }),
    ),
    ...person,
    quarantined: database.prepare<[number, string, List], Quarantined>(
      `select key, raw from quarantine where tenant_id = ? and resource = ? and ${isIn('key')}`,
    ),
    oldestLive: database.prepareValues<[number, number], number>(
      `select ${id} from ${name} where tenant_id = ? and removed_at is null order by ${createdAt}, ${id} limit ?`,
    ),
  }
}

function markOf(id: number, email: unknown, createdAt: unknown): PersonMark[] {
  const ms = isoMs(createdAt)
  return ms === null ? [] : [{ id, email: typeof email === 'string' ? email : null, createdAt: ms }]
}

/** Null for a large record, which quarantine stores only in part. */
function parsed(raw: string): Fields | null {
  try {
    return (JSON.parse(raw) ?? {}) as Fields
  } catch {
    return null
  }
}

const lower = (email: string | null) => email?.toLowerCase() ?? null
