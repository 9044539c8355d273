import type { Database } from '../database.ts'
import type { SyncStore } from '../port.ts'
import { stateRow } from '../sync/sync-states.ts'
import { markMissing, missingRecords, removalBudget, removeRecords, withdrawAccepted } from './removals.ts'

type Part = Pick<
  SyncStore,
  'liveCount' | 'markMissing' | 'missing' | 'removalBudget' | 'remove' | 'saveLookUps' | 'withdrawAcceptedRemovals'
>

export function removalStore(database: Database): Part {
  const { listOf, isIn } = database.sql
  return {
    markMissing: (tenantId, resource, rids, at) =>
      database.write({ tenantId, resource }, (sql) => markMissing(sql, database, rids, at)),
    remove: (removal, rids) => database.write(removal, (sql) => removeRecords(sql, database, removal, rids)),
    removalBudget: (query) => database.write('nothing', (sql) => removalBudget(sql, query)),
    withdrawAcceptedRemovals: (tenantId) => database.write('nothing', (sql) => withdrawAccepted(sql, tenantId)),
    liveCount: (tenantId, resource) =>
      database.read(async (sql) => (await stateRow(sql, tenantId, resource))?.live ?? 0),
    missing: (query) => database.read((sql) => missingRecords(sql, query)),
    async saveLookUps({ tenantId, resource, asked, existing, at }) {
      if (asked.length === 0) return
      await database.write({ tenantId, resource }, async (sql) => {
        await sql(`update records set looked_up_at = ? where ${isIn('rid')}`, [at, listOf(asked)])
        await sql(`update records set missing_since = null, accepted = 0 where ${isIn('rid')}`, [listOf(existing)])
      })
    },
  }
}
