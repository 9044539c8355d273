import type { Database } from './database.ts'
import type { DetailQuery, SyncStore } from './port.ts'

type Candidate = { readonly rid: number; readonly key: number }

/** Which users' details should be read next. */
export function detailStore({ raw }: Database): Pick<SyncStore, 'detailCandidates'> {
  const live = 'select rid, user_id as key from users where tenant_id = ? and removed_at is null'
  const unread = raw.prepare<[number, number, number], Candidate>(
    `${live} and role_id is null and user_id > ? order by user_id limit ?`,
  )
  const unreadSince = raw.prepare<[number, number, number], Candidate>(
    `${live} and role_id is null and read_at >= ? order by user_id limit ?`,
  )
  const ambiguous = raw.prepare<[number, string, number], Candidate>(
    `${live} and role_id is not null and role_name in (select value from json_each(?)) order by detail_read_at, user_id limit ?`,
  )
  const others = raw.prepare<[number, string, number], Candidate>(
    `${live} and role_id is not null and (role_name is null or role_name not in (select value from json_each(?))) order by detail_read_at, user_id limit ?`,
  )
  return {
    async detailCandidates({ tenantId, limit, changedSince, after, ambiguousRoleNames }: DetailQuery) {
      if (changedSince !== null) return unreadSince.all(tenantId, changedSince, limit)
      const found = unread.all(tenantId, after, limit)
      if (found.length < limit && after > 0) {
        const seen = new Set(found.map(({ key }) => key))
        found.push(...unread.all(tenantId, 0, limit - found.length).filter(({ key }) => !seen.has(key)))
      }
      const names = JSON.stringify(ambiguousRoleNames)
      if (found.length < limit) found.push(...ambiguous.all(tenantId, names, limit - found.length))
      if (found.length < limit) found.push(...others.all(tenantId, names, limit - found.length))
      return found
    },
  }
}
