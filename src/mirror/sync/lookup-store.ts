import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { LookUp, MissingRecord, SyncStore } from '../port.ts'
import type { QuarantineStore } from '../records/quarantine-store.ts'
import { columnOf, recordTables } from '../records/record-tables.ts'
import { indexedBy, isIn, listOf } from '../sql.ts'
import type { Database, Operations } from '../sqlite/database.ts'

/** In turns, so that look-ups without an answer do not delay others; counted, because a clock may be set back. */
export function lookUpStore(
  database: Database,
  quarantine: QuarantineStore,
): Operations<Pick<SyncStore, 'detailCandidates' | 'listed' | 'missing' | 'noteLookup' | 'noteExists'>> {
  const { raw } = database
  const byResource = memoize((resource: ResourceName) => missingStatements(raw, resource))
  const details = memoize((resource: ResourceName) => detailStatements(raw, resource))
  const isAccepted = raw.prepare('select 1 from accepted_removals where tenant_id = ? and resource = ? and rid = ?')
  const dropAccepted = raw.prepare('delete from accepted_removals where tenant_id = ? and resource = ? and rid = ?')
  return {
    missing: ({ tenantId, resource, limit, onlyAccepted }) =>
      database.run(() => {
        const missing = byResource(resource).missing.all(resource, tenantId, onlyAccepted ? 1 : 0, limit)
        const quarantined = quarantine.withoutLive(tenantId, recordTables[resource]).filter(({ rid, fullSyncs }) => {
          return fullSyncs > 0 && (!onlyAccepted || isAccepted.get(tenantId, resource, rid) !== undefined)
        })
        return [
          ...missing,
          ...quarantined.map(({ rid, key, fullSyncs }) => ({ rid, key: Number(key), fullSyncs })),
        ].slice(0, limit)
      }),
    detailCandidates: ({ tenantId, resource, limit, changedSince, ambiguous }) =>
      database.run(() => {
        const statements = details(resource)
        const fresh = statements.unaskedSince.all(tenantId, changedSince ?? 0, limit)
        if (changedSince !== null) return fresh
        const left = limit - fresh.length
        const again = statements.inVain.all(tenantId, left)
        const known: LookUp[] = []
        const room = () => left - Math.min(again.length, Math.ceil(left / 2)) - known.length
        const values = listOf(ambiguous)
        if (room() > 0 && ambiguous.length > 0) known.push(...statements.ambiguous.all(tenantId, values, room()))
        if (room() > 0) known.push(...statements.others.all(tenantId, values, room()))
        return [...fresh, ...again.slice(0, left - known.length), ...known]
      }),
    listed: (tenantId, resource, limit) => database.run(() => byResource(resource).listed.all(tenantId, limit)),
    noteLookup: (tenantId, resource, rid) =>
      database.write('nothing', () => void byResource(resource).noteLookup.run(tenantId, rid)),
    noteExists: (tenantId, resource, rid) =>
      database.write({ tenantId, resource }, () => {
        byResource(resource).noteExists.run(rid)
        dropAccepted.run(tenantId, resource, rid)
      }),
  }
}

// Indexes are named, because SQLite prefers a scan of all records in order.

function missingStatements(raw: Database['raw'], resource: ResourceName) {
  const record = recordTables[resource]
  const name = getTableName(record.table)
  const column = columnOf(record, record.key)
  return {
    listed: raw.prepare<[number, number], LookUp>(
      `select rid, ${column} as key from "${name}"
       where tenant_id = ? and removed_at is null and missing_since is null and absent_full_syncs = 0
       order by lookup_turn nulls first, ${column} limit ?`,
    ),
    missing: raw.prepare<[string, number, number, number], MissingRecord>(
      `select r.rid, r.${column} as key, r.absent_full_syncs as "fullSyncs" from "${name}" r ${indexedBy(`${name}_missing`)}
       left join accepted_removals a on a.tenant_id = r.tenant_id and a.resource = ? and a.rid = r.rid
       where r.tenant_id = ? and r.missing_since is not null and r.removed_at is null and (? = 0 or a.rid is not null)
       order by r.lookup_turn nulls first, a.rid is null, r.missing_since, r.rid limit ?`,
    ),
    noteExists: raw.prepare<[number]>(`update "${name}" set missing_since = null where rid = ?`),
    noteLookup: raw.prepare<[number, number]>(
      `update "${name}" set lookup_turn =
         (select coalesce(max(lookup_turn), 0) + 1 from "${name}" where tenant_id = ? and removed_at is null)
       where rid = ?`,
    ),
  }
}

function detailStatements(raw: Database['raw'], resource: ResourceName) {
  const record = recordTables[resource]
  const { table, key, detail } = record
  if (detail === undefined) throw new TypeError(`No detail of ${resource} is read by id`)
  const name = getTableName(table)
  const id = columnOf(record, key)
  const stated = columnOf(record, detail.states)
  const dependsOn = columnOf(record, detail.dependsOn)
  const live = 'where tenant_id = ? and removed_at is null and missing_since is null'
  const unread = `select rid, ${id} as key from "${name}" ${indexedBy(`${name}_unread`)} ${live} and ${stated} is null`
  const read = `select rid, ${id} as key from "${name}" ${live} and ${stated} is not null`
  return {
    unaskedSince: raw.prepare<[number, number, number], LookUp>(
      `${unread} and lookup_turn is null and read_at >= ? order by read_at desc, rid limit ?`,
    ),
    inVain: raw.prepare<[number, number], LookUp>(`${unread} and lookup_turn is not null order by lookup_turn limit ?`),
    ambiguous: raw.prepare<[number, string, number], LookUp>(
      `${read} and ${isIn(dependsOn)} order by lookup_turn, ${id} limit ?`,
    ),
    others: raw.prepare<[number, string, number], LookUp>(
      `${read} and (${dependsOn} is null or not ${isIn(dependsOn)}) order by lookup_turn, ${id} limit ?`,
    ),
  }
}
