import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type FindingIdentity, fingerprintOf } from '../../model/finding.ts'
import type { Database } from '../database.ts'
import type { FindingsMismatch } from './audit-port.ts'

/** A finding with its last event; columns of a missing one are null. */
interface Pair extends FindingIdentity {
  readonly fingerprint: string
  readonly kind: string | null
  readonly eventSeverity: string | null
  readonly eventResolution: string | null
  readonly severity: string | null
  readonly resolvedAt: number | null
  readonly resolution: string | null
  readonly eventAt: number | null
  /** 1 = message and evidence equal those of the event. */
  readonly hasTexts: number
  /** 1 = opened at the last event that opened it, and reopened as often since; also where retention erased that event. */
  readonly hasAge: number
}

const pairsAtOnce = 1000

const columns = `f."check", f.entity_type as "entityType", f.entity_id as "entityId", f.severity, f.resolution,
  f.resolved_at as "resolvedAt", e.kind, e.at as "eventAt", e.severity as "eventSeverity", e.resolution as "eventResolution",
  case when f.message = e.message and f.evidence = e.evidence then 1 else 0 end as "hasTexts",
  coalesce((select case when f.first_seen_at = o.at and f.reopened = (select count(*) from finding_events r
      where r.fingerprint = o.fingerprint and r.kind = 'reopened' and r.id > o.id) then 1 else 0 end
    from finding_events o where o.fingerprint = f.fingerprint and o.kind = 'opened' order by o.id desc limit 1), 1) as "hasAge"`

/**
 * Reports take the entity of a finding from the table `findings`, which the chain does not seal. So its rows must be
 * those of the sealed events, in the state of the last event.
 */
export async function compareFindings(database: Database, tenantId: number): Promise<readonly FindingsMismatch[]> {
  const tenantName = database.prepareValues<[number], string>('select name from tenants where id = ?')
  const tenant = (await database.read((tx) => tenantName.get(tx, tenantId))) ?? ''
  const ofEvents = database.prepare<[number, string], Pair>(
    `select e.fingerprint, ${columns} from finding_events e
       left join findings f on f.fingerprint = e.fingerprint and f.tenant_id = e.tenant_id
     where e.tenant_id = ? and e.fingerprint > ? and not exists (select 1 from finding_events n
       where n.fingerprint = e.fingerprint and n.tenant_id = e.tenant_id and n.id > e.id)
     order by e.fingerprint limit ${pairsAtOnce}`,
  )
  const withoutEvents = database.prepare<[number, string], Pair>(
    `select f.fingerprint, ${columns} from findings f
       left join finding_events e on e.fingerprint = f.fingerprint and e.tenant_id = f.tenant_id
     where f.tenant_id = ? and f.fingerprint > ? and e.id is null order by f.fingerprint limit ${pairsAtOnce}`,
  )
  const found = new Map<FindingsMismatch['what'], { count: number; fingerprint: string }>()
  for (const statement of [ofEvents, withoutEvents]) {
    for (let after = ''; ; ) {
      const pairs = await database.read((tx) => statement.all(tx, tenantId, after))
      for (const pair of pairs) {
        const what = mismatchOf(tenant, pair)
        if (what === null) continue
        const known = found.get(what)
        found.set(what, { fingerprint: pair.fingerprint, ...known, count: (known?.count ?? 0) + 1 })
      }
      if (pairs.length < pairsAtOnce) break
      after = pairs.at(-1)?.fingerprint ?? after
      await yieldToEventLoop()
    }
  }
  return [...found].map(([what, seen]) => ({ what, ...seen }))
}

function mismatchOf(tenant: string, pair: Pair): FindingsMismatch['what'] | null {
  const { fingerprint, kind, severity, resolution, resolvedAt } = pair
  if (severity === null) return 'findings_missing'
  if (kind === null) return 'findings_inserted'
  const isSame =
    fingerprintOf({ ...pair, tenant }) === fingerprint &&
    severity === pair.eventSeverity &&
    pair.hasTexts === 1 &&
    pair.hasAge === 1 &&
    (kind === 'resolved' ? resolvedAt === pair.eventAt && resolution === pair.eventResolution : resolvedAt === null)
  return isSame ? null : 'findings_changed'
}
