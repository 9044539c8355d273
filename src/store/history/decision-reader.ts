import { reasons } from '../../model/reasons.ts'
import { resourceNames } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import { oneOf } from '../words.ts'
import type { OperatorDecision } from './evidence-port.ts'

interface StoredHold {
  readonly tenant: string
  readonly at: number
  readonly reason: string
  readonly id: string
  readonly resource: string
  readonly holdReason: string
  readonly count: number
  readonly appliedAt: number | null
}

interface StoredDrift {
  readonly tenant: string
  readonly at: number
  readonly reason: string
  readonly check: string
  readonly entityId: string
  readonly state: string
}

/** Reads decisions of operators, oldest first; of all tenants if the id is null. */
export function decisionReader(database: Database): (tenantId: number | null) => Promise<readonly OperatorDecision[]> {
  const ofTenant = (column: string) => `(cast(@tenantId as bigint) is null or ${column} = @tenantId)`
  const holds = database.prepare<[object], StoredHold>(
    `select t.name as tenant, d.decided_at as at, d.reason, d.hold_id as id, d.resource, d.hold_reason as "holdReason",
       d.count, d.applied_at as "appliedAt"
     from decisions d join tenants t on t.id = d.tenant_id where ${ofTenant('d.tenant_id')} order by d.id`,
  )
  // The first state, which nobody accepted, has no reason.
  const drift = database.prepare<[object], StoredDrift>(
    `select t.name as tenant, a.at, a.reason, a."check", a.entity_id as "entityId", a.state
     from accepted_states a join tenants t on t.id = a.tenant_id
     where a.reason is not null and ${ofTenant('a.tenant_id')} order by a.id`,
  )
  return async (tenantId) => {
    const stored = await database.read(async (tx) => {
      return { holds: await holds.all(tx, { tenantId }), drift: await drift.all(tx, { tenantId }) }
    })
    const all: OperatorDecision[] = [
      ...stored.holds.map(({ resource, holdReason, ...row }) => ({
        ...row,
        accepted: 'hold' as const,
        resource: resource === 'all' ? ('all' as const) : oneOf(resourceNames, resource),
        holdReason: oneOf(reasons, holdReason),
      })),
      ...stored.drift.map(({ state, ...row }) => ({
        ...row,
        accepted: 'drift' as const,
        state: JSON.parse(state) as unknown,
      })),
    ]
    return all.sort((a, b) => a.at - b.at)
  }
}
