import type { Database } from '../database.ts'
import type { WaiverChange } from './evidence-port.ts'

interface StoredChange extends Omit<WaiverChange, 'kind' | 'entity'> {
  readonly entity: string | null
  readonly isLater: number
}

/** Reads agreements, renewals and lapses of waivers, oldest first; of all tenants if the id is null. */
export function waiverChangeReader(database: Database): (tenantId: number | null) => Promise<readonly WaiverChange[]> {
  const stored = database.prepare<[object], StoredChange>(
    `select t.name as tenant, c.waiver, c.terms, c.at, c."check", c.fingerprint, c.accepted, c.changed,
       coalesce(f.entity_id, w.entity) as entity,
       case when exists (select 1 from waiver_changes e where e.tenant_id = c.tenant_id and e.waiver = c.waiver
         and e.fingerprint is null and e.id < c.id) then 1 else 0 end as "isLater"
     from waiver_changes c join tenants t on t.id = c.tenant_id
       left join waivers w on w.tenant_id = c.tenant_id and w.id = c.waiver
       left join findings f on f.fingerprint = c.fingerprint
     where cast(@tenantId as bigint) is null or c.tenant_id = @tenantId order by c.id`,
  )
  return async (tenantId) => {
    const rows = await database.read((tx) => stored.all(tx, { tenantId }))
    return rows.map(({ isLater, entity, ...row }) => ({
      ...row,
      entity: entity ?? '',
      kind: row.fingerprint !== null ? 'lapsed' : isLater === 1 ? 'renewed' : 'agreed',
    }))
  }
}
