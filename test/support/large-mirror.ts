import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { isQuicklyVerified } from '../../src/store/db/sqlite/verify-file.ts'
import { temporaryFolder } from './temporary.ts'

/** Makes the users of a mirror so many that reading it for damage is not done at its opening. */
export function enlarge(path: string): void {
  const raw = new BetterSqlite3(path)
  // Tombstones: they belong to no posture and no count.
  raw
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 9000)
       insert into records (tenant_id, resource, key, body, first_seen_at, read_at, removed_at)
       select 1, 'users', 1000000 + i, json_object('userId', 1000000 + i, 'firstName', hex(randomblob(60)),
         'state', 'Active', 'mfaStatus', json('true'), 'createdAt', '2025-01-01T00:00:00Z'), 1, 1, 1 from n`,
    )
    .run()
  raw.close()
  if (isQuicklyVerified(path)) throw new Error('The mirror is still small')
}

/** The file of a mirror that is large. */
export async function largeMirror(): Promise<string> {
  const path = join(temporaryFolder(), 'large.db')
  const mirror = openMirror(path, 'engine')
  await mirror.openTenant('acme', 'https://api.example.com', 1)
  await mirror[Symbol.asyncDispose]()
  enlarge(path)
  return path
}

/** Makes an index of quarantined records not hold what its table does, as one that lost its rows. */
export function damageIndex(path: string): void {
  const raw = new BetterSqlite3(path)
  raw.unsafeMode()
  raw.pragma('writable_schema = on')
  raw
    .prepare(
      `update sqlite_master set sql = replace(sql, ' WHERE problem is not null', '') where name = 'records_problem'`,
    )
    .run()
  raw.close()
}
