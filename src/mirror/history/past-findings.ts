import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { severities } from '../../model/severity.ts'
import type { FindingRow, FindingStore } from '../port.ts'
import { oneOf } from '../records/one-of.ts'
import type { RecordAsOf } from '../records/record-as-of.ts'
import { recordTables } from '../records/record-tables.ts'
import type { Database } from '../sqlite/database.ts'

const batchSize = 250

interface StoredFinding extends Omit<FindingRow, 'severity' | 'evidence' | 'resolvedAt' | 'resolution'> {
  readonly id: number
  readonly severity: string
  readonly evidence: string
  readonly isOpen: number
}

export function pastFindings({ raw }: Database, asOf: RecordAsOf): FindingStore['findings'] {
  const event = asOf.within('finding_events', 'x')
  return async function* findings({ tenantIds, all = false, check, fingerprints }) {
    const among = (column: string, list: readonly unknown[] | undefined) =>
      list === undefined ? '' : `and ${column} in (select value from json_each(?))`
    // In the order of ids: with another index, each batch would be read and sorted again.
    const select = raw.prepare<unknown[], StoredFinding>(
      `select f.id, f.fingerprint, t.name as tenant, f."check", f.entity_type as entityType, f.entity_id as entityId,
         e.severity, e.message, e.evidence, e.at as lastSeenAt,
         case when f.first_seen_at <= e.at then f.first_seen_at else coalesce((select max(x.at) from finding_events x
           where x.fingerprint = f.fingerprint and x.kind = 'opened' and ${event}), f.first_seen_at) end as firstSeenAt,
         e.kind <> 'resolved' as isOpen,
         max(0, f.reopened - (select count(*) from finding_events x
           where x.fingerprint = f.fingerprint and x.kind = 'reopened' and not (${event}))) as reopened
       from findings f cross join tenants t on t.id = f.tenant_id
       cross join finding_events e on e.id = (select max(x.id) from finding_events x
         where x.fingerprint = f.fingerprint and ${event})
       where f.id > ? ${all ? '' : "and e.kind <> 'resolved'"} ${among('+f.tenant_id', tenantIds)}
         ${among('f.fingerprint', fingerprints)} ${check === undefined ? '' : 'and +f."check" = ?'}
       order by f.id limit ${batchSize}`,
    )
    const lists = [tenantIds, fingerprints].flatMap((list) => (list === undefined ? [] : [JSON.stringify(list)]))
    const bound = check === undefined ? lists : [...lists, check]
    for (let after = 0; ; ) {
      const rows = select.all(after, ...bound)
      if (rows.length === 0) return
      yield rows.map(toFinding)
      after = rows.at(-1)?.id ?? after
      await yieldToEventLoop()
    }
  }
}

function toFinding({ id: _, isOpen, ...row }: StoredFinding): FindingRow {
  return {
    ...row,
    severity: oneOf(severities, row.severity),
    evidence: JSON.parse(row.evidence) as Record<string, unknown>,
    resolvedAt: isOpen === 1 ? null : row.lastSeenAt,
    resolution: null,
  }
}

/** The first removal or return after that time decides; without one, the present state. */
export function pastPresence({ raw }: Database, asOf: RecordAsOf): FindingStore['isLive'] {
  const next = raw
    .prepare<[number, string, string], string>(
      `select kind from changes c where tenant_id = ? and resource = ? and key = ? and kind in ('removed', 'returned')
         and not (${asOf.within('changes', 'c')}) order by id limit 1`,
    )
    .pluck()
  return async (tenantId, resource, id) => {
    const { table, key, keyOf } = recordTables[resource]
    const name = getTableColumns(table)[key]?.name ?? key
    const stored = keyOf(id)
    const kind = next.get(tenantId, resource, String(stored))
    if (kind !== undefined) return kind === 'removed'
    const row = raw
      .prepare<[number, string | number], { firstSeenAt: number; removedAt: number | null }>(
        `select first_seen_at as firstSeenAt, removed_at as removedAt from "${getTableName(table)}"
         where tenant_id = ? and "${name}" = ?`,
      )
      .get(tenantId, stored)
    return row !== undefined && row.removedAt === null && asOf.includes(row.firstSeenAt)
  }
}
