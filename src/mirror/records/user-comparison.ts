import { isoMs } from '../../model/dates.ts'
import type { SyncStore } from '../port.ts'
import type { Database, Operations } from '../sqlite/database.ts'

type Raw = { readonly userId: number; readonly email: unknown; readonly createdAt: unknown }
type Mark = { readonly userId: number; readonly email: string | null; readonly createdAt: number }

/** Compares users by what is theirs alone within a tenant: `createdAt` and `email`, letter case of the latter aside. */
export function userComparison(database: Database): Operations<Pick<SyncStore, 'compareUsers'>> {
  const { raw } = database
  const known = raw.prepare<[number, string], Mark>(
    `select user_id as userId, email, created_at_ms as createdAt from users
     where tenant_id = ? and user_id in (select value from json_each(?))`,
  )
  // A record that was never good is known by its quarantined form alone.
  const quarantined = raw.prepare<[number, string], Raw>(
    `select cast(key as integer) as userId, raw ->> '$.email' as email, raw ->> '$.createdAt' as createdAt
     from quarantine q where tenant_id = ? and resource = 'users' and json_valid(raw) and key in (select cast(value as text) from json_each(?))
       and not exists (select 1 from users u where u.tenant_id = q.tenant_id and u.user_id = cast(q.key as integer))`,
  )
  const oldestLive = raw
    .prepare<[number, number], number>(
      'select user_id from users where tenant_id = ? and removed_at is null order by created_at_ms, user_id limit ?',
    )
    .pluck()
  return {
    compareUsers: (tenantId, page) =>
      database.run(() => {
        const marks = new Map(page.map((user) => [user.userId, user]))
        const isEqual = (user: Mark) => {
          const shown = marks.get(user.userId)
          return shown?.createdAt === user.createdAt && lower(shown.email) === lower(user.email)
        }
        const ids = JSON.stringify([...marks.keys()])
        const neverGood = quarantined.all(tenantId, ids)
        const equal = [...known.all(tenantId, ids), ...neverGood.flatMap(markOf)].filter(isEqual).length
        const oldest = oldestLive.all(tenantId, marks.size - neverGood.length)
        return { equal, oldest: oldest.length, oldestShown: oldest.filter((id) => marks.has(id)).length }
      }),
  }
}

function markOf({ userId, email, createdAt }: Raw): Mark[] {
  const ms = isoMs(createdAt)
  return ms === null ? [] : [{ userId, email: typeof email === 'string' ? email : null, createdAt: ms }]
}

const lower = (email: string | null) => email?.toLowerCase() ?? null
