import type { Reason } from '../model/reasons.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { DriftFacts, EventRow, FindingStore, HoldFacts } from '../store/port.ts'

interface Decision {
  readonly tenant: string
  /** In milliseconds since the epoch. */
  readonly at: number
  /** In the operator's words. */
  readonly reason: string
  /** Who accepted it; null = not recorded. */
  readonly by: string | null
}

interface AcceptedHold extends Decision {
  readonly accepted: 'hold'
  readonly id: string
  readonly resource: ResourceName | 'all'
  readonly holdReason: Reason
  /** Number of held records. */
  readonly count: number
  /** Null until a run has applied it. */
  readonly appliedAt: number | null
}

export interface AcceptedDrift extends Decision {
  readonly accepted: 'drift'
  readonly check: string
  readonly entityId: string
  readonly state: unknown
}

/** What an operator accepted (docs/alerts.md#tenantwatchheld, docs/waivers.md#drift). */
export type OperatorDecision = AcceptedHold | AcceptedDrift

type Events = Pick<FindingStore, 'events'>

/** Oldest first; of all tenants if the id is absent. */
export async function readDecisions(store: Events, tenantId?: number): Promise<readonly OperatorDecision[]> {
  const events = await store.events({ tenantId, kinds: ['hold.accepted', 'hold.applied', 'drift.accepted'] })
  const applied = events.filter(({ kind }) => kind === 'hold.applied')
  const decisions = events.flatMap((event): OperatorDecision[] => {
    if (event.kind === 'hold.applied') return []
    return [event.kind === 'drift.accepted' ? acceptedDrift(event) : acceptedHold(event, applied)]
  })
  return decisions.sort((a, b) => a.at - b.at)
}

function acceptedDrift({ tenant, at, subject, data }: EventRow): AcceptedDrift {
  const { state, reason, by = null } = data as DriftFacts
  return { accepted: 'drift', tenant, at, ...driftedEntity(subject), state, reason, by }
}

function acceptedHold({ id, tenant, at, subject, data }: EventRow, applied: readonly EventRow[]): AcceptedHold {
  const { resource, holdReason, count, reason, by = null } = data as HoldFacts
  return {
    ...{ accepted: 'hold', tenant, at, id: subject, resource, holdReason, count, reason, by },
    appliedAt: applied.find((one) => one.tenant === tenant && one.subject === subject && one.id > id)?.at ?? null,
  }
}

/** The state from which the drift of an entity is measured. */
export interface AcceptedState {
  readonly entityId: string
  /** Null = none, as for a removed entity. */
  readonly state: unknown
  readonly at: number
  /** Null if nobody accepted it: it is the first one. */
  readonly reason: string | null
}

interface FirstStates {
  readonly states: readonly Pick<AcceptedState, 'entityId' | 'state'>[]
}

export interface AcceptedStates {
  /** Changes with each accepted state. */
  readonly version: number
  readonly byEntity: ReadonlyMap<string, AcceptedState>
}

/** The first states of a check, and those that an operator accepted since; null before the first are stored. */
export async function readAcceptedStates(
  store: Events,
  tenantId: number,
  check: string,
): Promise<AcceptedStates | null> {
  const events = await store.events({ tenantId, kinds: ['drift.first', 'drift.accepted'] })
  const states = new Map<string, AcceptedState>()
  let version: number | null = null
  for (const { id, kind, subject, at, data } of events) {
    const entity = driftedEntity(subject)
    if (kind === 'drift.first' && subject === check) {
      for (const one of (data as FirstStates).states) states.set(one.entityId, { ...one, at, reason: null })
      version = id
    } else if (kind === 'drift.accepted' && entity.check === check) {
      const { entityId } = entity
      states.set(entityId, { entityId, at, ...(data as DriftFacts) })
      version = id
    }
  }
  return version === null ? null : { version, byEntity: states }
}

export async function saveFirstStates(
  store: Pick<FindingStore, 'appendEvents'>,
  { tenantId, check, at }: { readonly tenantId: number; readonly check: string; readonly at: number },
  states: FirstStates['states'],
): Promise<void> {
  const data: FirstStates = { states }
  await store.appendEvents(tenantId, [{ kind: 'drift.first', subject: check, at, data }])
}

export interface NewAcceptedState extends AcceptedState {
  readonly tenantId: number
  readonly check: string
  readonly reason: string
  readonly by?: string
}

export async function acceptStates(
  store: Pick<FindingStore, 'appendEvents'>,
  accepted: readonly NewAcceptedState[],
): Promise<void> {
  for (const [tenantId, group] of Map.groupBy(accepted, (one) => one.tenantId)) {
    const events = group.map(({ check, entityId, state, at, reason, by }) => {
      const data: DriftFacts = { state, reason, by }
      return { kind: 'drift.accepted' as const, subject: `${check}/${entityId}`, at, data }
    })
    await store.appendEvents(tenantId, events)
  }
}

function driftedEntity(subject: string): { readonly check: string; readonly entityId: string } {
  const slash = subject.indexOf('/')
  return { check: subject.slice(0, slash), entityId: subject.slice(slash + 1) }
}
