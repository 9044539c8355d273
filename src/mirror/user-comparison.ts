import type { Database } from './database.ts'
import type { SyncStore } from './port.ts'

/** Compares users by what is theirs alone within a tenant: `createdAt` and `email`, letter case of the latter aside. */
export function userComparison({ raw }: Database): Pick<SyncStore, 'compareUsers'> {
  const known = raw.prepare<[number, string], { userId: number; email: string | null; createdAt: number }>(
    `select user_id as userId, email, created_at_ms as createdAt from users
     where tenant_id = ? and user_id in (select value from json_each(?))`,
  )
  const oldestLive = raw
    .prepare<[number, number], number>(
      'select user_id from users where tenant_id = ? and removed_at is null order by created_at_ms, user_id limit ?',
    )
    .pluck()
  return {
    async compareUsers(tenantId, page) {
      const marks = new Map(page.map((user) => [user.userId, user]))
      const isEqual = (user: { userId: number; email: string | null; createdAt: number }) => {
        const shown = marks.get(user.userId)
        return shown?.createdAt === user.createdAt && lower(shown.email) === lower(user.email)
      }
      const equal = known.all(tenantId, JSON.stringify([...marks.keys()])).filter(isEqual).length
      const oldest = oldestLive.all(tenantId, marks.size)
      return { equal, oldest: oldest.length, oldestShown: oldest.filter((id) => marks.has(id)).length }
    },
  }
}

const lower = (email: string | null) => email?.toLowerCase() ?? null
