import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { List } from '../db/db.ts'
import type { LookUp, MissingRecord, SyncStore } from '../port.ts'
import { contradictedMark, type QuarantineStore } from '../records/quarantine-store.ts'
import { columnOf, recordTables } from '../records/record-tables.ts'
import { writeWhereDue } from '../write-where-due.ts'

/** Look-ups in turns, so that unanswered ones do not delay others. Turns are counted: a clock may be set back. */
export function lookUpStore(
  database: Database,
  quarantine: QuarantineStore,
): Pick<SyncStore, 'detailCandidates' | 'endDetails' | 'listed' | 'missing' | 'noteLookup' | 'noteExists'> {
  const byResource = memoize((resource: ResourceName) => missingStatements(database, resource))
  const details = memoize((resource: ResourceName) => detailStatements(database, resource))
  const accepted = 'from accepted_removals where tenant_id = ? and resource = ? and rid = ?'
  const isAccepted = database.prepare<[number, string, number]>(`select 1 ${accepted}`)
  const dropAccepted = database.prepare<[number, string, number]>(`delete ${accepted}`)
  return {
    missing: ({ tenantId, resource, limit, onlyAccepted }) =>
      database.read(async (tx) => {
        const found: MissingRecord[] = await byResource(resource).missing.all(
          tx,
          resource,
          tenantId,
          onlyAccepted ? 1 : 0,
          limit,
        )
        for (const { rid, key, fullSyncs } of await quarantine.withoutLive(tx, tenantId, recordTables[resource])) {
          if (fullSyncs <= 0) continue
          if (onlyAccepted && (await isAccepted.get(tx, tenantId, resource, rid)) === undefined) continue
          found.push({ rid, key: Number(key), fullSyncs, missingSince: null })
        }
        return found.slice(0, limit)
      }),
    detailCandidates: ({ tenantId, resource, limit, changedSince, ambiguous }) =>
      database.read(async (tx) => {
        const statements = details(resource)
        if (changedSince !== null) return await statements.unaskedSince.all(tx, tenantId, changedSince, limit)
        const half = Math.ceil(limit / 2)
        const contradicted = (await quarantine.anyContradicted(tx, tenantId, recordTables[resource]))
          ? await statements.contradicted.all(tx, tenantId, resource, half)
          : []
        const isOther = (one: LookUp) => contradicted.every(({ rid }) => rid !== one.rid)
        const fresh = [...contradicted, ...(await statements.unaskedSince.all(tx, tenantId, 0, limit)).filter(isOther)]
        const left = limit - fresh.length
        if (left <= 0) return fresh.slice(0, limit)
        const again = (await statements.inVain.all(tx, tenantId, left)).filter(isOther)
        const known: LookUp[] = []
        const room = () => left - Math.min(again.length, Math.ceil(left / 2)) - known.length
        const values = database.sql.listOf(ambiguous)
        if (room() > 0 && ambiguous.length > 0)
          known.push(...(await statements.ambiguous.all(tx, tenantId, values, room())).filter(isOther))
        if (room() > 0) known.push(...(await statements.others.all(tx, tenantId, values, room())).filter(isOther))
        return [...fresh, ...again.slice(0, left - known.length), ...known]
      }),
    endDetails: (tenantId, resource) =>
      writeWhereDue(database, { tenantId, resource }, async (tx) => {
        const table = recordTables[resource]
        return (await quarantine.anyContradicted(tx, tenantId, table))
          ? () => quarantine.agreeAll(tx, tenantId, table)
          : null
      }),
    listed: (tenantId, resource, limit) =>
      database.read((tx) => byResource(resource).listed.all(tx, { tenantId, limit })),
    noteLookup: (tenantId, resource, rid) =>
      database.write('nothing', (tx) => byResource(resource).noteLookup.run(tx, { tenantId, rid })),
    noteExists: (tenantId, resource, rid) =>
      database.write({ tenantId, resource }, async (tx) => {
        await byResource(resource).noteExists.run(tx, rid)
        await dropAccepted.run(tx, tenantId, resource, rid)
      }),
  }
}

// Indexes are named, because SQLite prefers a scan of all records in order.

function missingStatements(database: Database, resource: ResourceName) {
  const { indexedBy } = database.sql
  const { name, id, stated } = namesOf(resource)
  const parts = [
    `"${name}" ${indexedBy(`${name}_unread`)} where ${stated} is null`,
    `"${name}" ${indexedBy(`${name}_lookup`)} where ${stated} is not null`,
  ] as const
  const listed = (part: string, order: string) =>
    `select * from (select rid, ${id} as key, lookup_turn as turn from ${part} and tenant_id = @tenantId
       and removed_at is null and missing_since is null and absent_full_syncs = 0
       order by lookup_turn nulls first, ${order} limit @limit) as part`
  const highest = parts.map(
    (part) => `select max(lookup_turn) as turn from ${part} and tenant_id = @tenantId and removed_at is null`,
  )
  return {
    listed: database.prepare<[{ readonly tenantId: number; readonly limit: number }], LookUp>(
      `select rid, key from (${listed(parts[0], 'read_at desc')} union all ${listed(parts[1], id)}) as listed
       order by turn nulls first, key limit @limit`,
    ),
    missing: database.prepare<[string, number, number, number], MissingRecord>(
      `select r.rid, r.${id} as key, r.absent_full_syncs as "fullSyncs", r.missing_since as "missingSince"
       from "${name}" r ${indexedBy(`${name}_missing`)}
       left join accepted_removals a on a.tenant_id = r.tenant_id and a.resource = ? and a.rid = r.rid
       where r.tenant_id = ? and r.missing_since is not null and r.removed_at is null and (? = 0 or a.rid is not null)
       order by r.lookup_turn nulls first, a.rid is null, r.missing_since, r.rid limit ?`,
    ),
    noteExists: database.prepare<[number]>(`update "${name}" set missing_since = null where rid = ?`),
    noteLookup: database.prepare<[{ readonly tenantId: number; readonly rid: number }]>(
      `update "${name}" set lookup_turn = (select coalesce(max(turn), 0) + 1 from (${highest.join(' union all ')}) as highest)
       where rid = @rid`,
    ),
  }
}

function detailStatements(database: Database, resource: ResourceName) {
  const { indexedBy, integerOf, isIn } = database.sql
  const { name, id, stated, dependsOn } = namesOf(resource)
  const live = 'where tenant_id = ? and removed_at is null and missing_since is null'
  const unread = `select rid, ${id} as key from "${name}" ${indexedBy(`${name}_unread`)} ${live} and ${stated} is null`
  const read = `select rid, ${id} as key from "${name}" ${indexedBy(`${name}_lookup`)} ${live} and ${stated} is not null`
  return {
    contradicted: database.prepare<[number, string, number], LookUp>(
      `select r.rid, r.${id} as key from quarantine q cross join "${name}" r
       where q.tenant_id = ? and q.resource = ? and q.key like '${contradictedMark}%' and r.tenant_id = q.tenant_id
       and r.${id} = ${integerOf(`substr(q.key, ${contradictedMark.length + 1})`)}
       and r.removed_at is null and r.missing_since is null
       order by r.lookup_turn nulls first, r.${id} limit ?`,
    ),
    unaskedSince: database.prepare<[number, number, number], LookUp>(
      // PostgreSQL only reads the index in order if `order by` names all its columns, including constant ones.
      `${unread} and lookup_turn is null and read_at >= ? order by lookup_turn nulls first, read_at desc, rid limit ?`,
    ),
    inVain: database.prepare<[number, number], LookUp>(
      `${unread} and lookup_turn is not null order by lookup_turn limit ?`,
    ),
    ambiguous: database.prepare<[number, List, number], LookUp>(
      `${read} and ${isIn(dependsOn)} order by lookup_turn nulls first, ${id} limit ?`,
    ),
    others: database.prepare<[number, List, number], LookUp>(
      `${read} and (${dependsOn} is null or not ${isIn(dependsOn)}) order by lookup_turn nulls first, ${id} limit ?`,
    ),
  }
}

function namesOf(resource: ResourceName) {
  const record = recordTables[resource]
  if (record.detail === undefined) throw new TypeError(`No detail of ${resource} is read by id`)
  return {
    name: getTableName(record.table),
    id: columnOf(record, record.key),
    stated: columnOf(record, record.detail.states),
    dependsOn: columnOf(record, record.detail.dependsOn),
  }
}
