import { reasons } from '../../model/reasons.ts'
import { resourceNames } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import { listOfKinds, termsKinds, type WaiverLapseFacts, type WaiverTermsFacts } from '../event-store.ts'
import { fromJson, oneOf } from '../words.ts'
import type { AsOf } from './as-of.ts'
import type { OperatorDecision, WaiverChange } from './evidence-port.ts'

interface Stored {
  readonly id: number
  readonly tenant: string
  readonly kind: string
  readonly subject: string
  readonly at: number
  readonly data: string
}

/** An accepted hold, as stored. */
export interface HoldFacts {
  readonly resource: string
  readonly holdReason: string
  readonly count: number
  readonly reason: string
}

/** Accepted drift, as stored; its subject is `driftSubject`. */
export interface DriftFacts {
  readonly state: unknown
  readonly reason: string
}

export const driftSubject = (check: string, entityId: string) => `${check}/${entityId}`

export function driftedEntity(subject: string): { readonly check: string; readonly entityId: string } {
  const slash = subject.indexOf('/')
  return { check: subject.slice(0, slash), entityId: subject.slice(slash + 1) }
}

/** Reads events in the order of writing; of all tenants if the id is null. */
function eventReader(database: Database, kinds: string, asOf?: AsOf) {
  const select = database.prepare<[object], Stored>(
    `select e.id, t.name as tenant, e.kind, e.subject, e.at, e.data from tenants t
     join events e on e.tenant_id = t.id and e.kind in (${kinds}) and e.data is not null
     where (cast(@tenantId as bigint) is null or t.id = @tenantId)
       ${asOf === undefined ? '' : `and ${asOf.events('e')}`} order by +e.id`,
  )
  return (tenantId: number | null) => database.read((tx) => select.all(tx, { tenantId }))
}

/** Reads decisions of operators, oldest first; of all tenants if the id is null. */
export function decisionReader(
  database: Database,
  asOf?: AsOf,
): (tenantId: number | null) => Promise<readonly OperatorDecision[]> {
  const read = eventReader(database, `'hold.accepted', 'hold.applied', 'drift.accepted'`, asOf)
  return async (tenantId) => {
    const events = await read(tenantId)
    const applied = events.filter(({ kind }) => kind === 'hold.applied')
    const decisions = events.flatMap((event): OperatorDecision[] => {
      const { id, tenant, subject, at } = event
      if (event.kind === 'hold.applied') return []
      if (event.kind === 'drift.accepted') {
        const { state, reason } = fromJson(event.data) as DriftFacts
        return [{ accepted: 'drift', tenant, at, ...driftedEntity(subject), state, reason }]
      }
      const { resource, holdReason, count, reason } = fromJson(event.data) as HoldFacts
      return [
        {
          ...{ accepted: 'hold', tenant, at, id: subject, count, reason },
          resource: resource === 'all' ? 'all' : oneOf(resourceNames, resource),
          holdReason: oneOf(reasons, holdReason),
          appliedAt: applied.find((one) => one.tenant === tenant && one.subject === subject && one.id > id)?.at ?? null,
        },
      ]
    })
    return decisions.sort((a, b) => a.at - b.at)
  }
}

/** Reads agreements, renewals and lapses of waivers, oldest first; of all tenants if the id is null. */
export function waiverChangeReader(database: Database): (tenantId: number | null) => Promise<readonly WaiverChange[]> {
  const read = eventReader(database, listOfKinds([...termsKinds, 'waiver.lapsed']))
  return async (tenantId) =>
    (await read(tenantId)).map(({ tenant, kind, subject, at, data }): WaiverChange => {
      if (kind === 'waiver.lapsed')
        return { ...(fromJson(data) as WaiverLapseFacts), tenant, at, kind: 'lapsed', fingerprint: subject }
      const agreed = { ...(fromJson(data) as WaiverTermsFacts), tenant, at, waiver: subject }
      const isRenewed = kind === 'waiver.renewed'
      return { ...agreed, kind: isRenewed ? 'renewed' : 'agreed', fingerprint: null, accepted: null, changed: null }
    })
}
