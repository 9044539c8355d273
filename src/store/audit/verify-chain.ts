import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Db, Sql } from '../db/db.ts'
import { digestOf, hashOf, lastErasure, type StoredEvent } from '../event-store.ts'
import { sharedChain } from '../events.ts'
import type { TenantState } from '../history/configuration-log.ts'
import { erasableKinds, unerasable } from '../history/erasure.ts'
import { columnList, fromJson } from '../rows.ts'
import { events as eventTable } from '../schema/index.ts'
import { type StateMismatch, stateMismatches } from './compare-state.ts'

export type EventPlace = Pick<StoredEvent, 'id' | 'at' | 'kind' | 'subject'>

/** An event of a chain. Times are in milliseconds since the epoch. */
export interface ChainHead {
  readonly id: number
  readonly at: number
  readonly hash: string
}

export interface FoundHead extends ChainHead {
  /** Number of events of the chain after it. */
  readonly later: number
}

/** A deviation at one event (docs/evidence.md#proof-against-changes). */
export interface EventMismatch extends EventPlace {
  readonly what: 'event_changed' | 'chain_broken' | 'erased_early' | 'configuration_missing'
}

export type ChainMismatch =
  | EventMismatch
  | StateMismatch
  /** `id`: of the last event as the chain states it; `at`: of the last one that there is, null without any. */
  | { readonly what: 'end_differs'; readonly id: number; readonly at: number | null }
  /** Found with the shared chain; `at`: of the last event. */
  | { readonly what: 'tenant_missing'; readonly tenantId: number; readonly events: number; readonly at: number }

export interface ChainVerification {
  readonly events: number
  /** Events that retention emptied. */
  readonly erased: number
  readonly firstAt: number | null
  readonly head: ChainHead | null
  /** The events of the chain with the given hashes. */
  readonly heads: readonly FoundHead[]
  readonly mismatches: readonly ChainMismatch[]
}

const eventsAtOnce = 1000

/** Reads a chain from its first event on. */
class ChainWalk {
  readonly #tenantId: number
  readonly #wanted: ReadonlySet<string>
  readonly #found: (ChainHead & { readonly position: number })[] = []
  readonly mismatches: EventMismatch[] = []
  /** By hash, the first event that names a configuration. */
  readonly configurations = new Map<string, EventPlace>()
  events = 0
  erased = 0
  firstAt: number | null = null
  head: ChainHead | null = null
  /** Of the erased events, the one with the latest time. */
  latestErased: EventPlace | null = null

  constructor(tenantId: number, heads: readonly string[]) {
    this.#tenantId = tenantId
    this.#wanted = new Set(heads)
  }

  add(event: StoredEvent): void {
    const { id, at, kind, subject, data, digest, hash } = event
    const place: EventPlace = { id, at, kind, subject }
    const isUnchanged = data === null || digest === digestOf(this.#tenantId, event)
    if (!isUnchanged) this.mismatches.push({ what: 'event_changed', ...place })
    if (hash !== hashOf(this.head?.hash ?? '', event)) this.mismatches.push({ what: 'chain_broken', ...place })
    this.events++
    this.firstAt ??= at
    this.head = { id, at, hash }
    if (this.#wanted.has(hash)) this.#found.push({ id, at, hash, position: this.events })
    if (data === null) {
      this.erased++
      if (!erasableKinds.has(kind)) this.mismatches.push({ what: 'erased_early', ...place })
      if (this.latestErased === null || at > this.latestErased.at) this.latestErased = place
    } else if (kind === 'tenant.state' && isUnchanged) {
      const { configuration } = fromJson(data) as TenantState
      if (configuration !== null && !this.configurations.has(configuration))
        this.configurations.set(configuration, place)
    }
  }

  get heads(): readonly FoundHead[] {
    return this.#found.map(({ position, ...head }) => ({ ...head, later: this.events - position }))
  }
}

/**
 * Compares the events of a tenant with their hash chain, and the present state with its last events; also while an engine
 * runs. @param heads hashes to look for.
 */
export async function verifyChain(db: Db, tenantId: number, heads: readonly string[] = []): Promise<ChainVerification> {
  const walk = new ChainWalk(tenantId, heads)
  const read = async (tx: Sql) => {
    const page = await tx<StoredEvent>(nextEvents, [tenantId, walk.head?.id ?? Number.MIN_SAFE_INTEGER])
    for (const event of page) walk.add(event)
    return page.length < eventsAtOnce
  }
  while (!(await db.read(read))) await yieldToEventLoop()
  // In one transaction, because events and the state that they lead to are written together.
  const ending = await db.read(async (tx) => {
    while (!(await read(tx)));
    const ofEnd = [...(await endMismatches(tx, tenantId, walk)), ...(await emptiedEarly(tx, tenantId))]
    if (tenantId === sharedChain) return [...ofEnd, ...(await orphans(tx))]
    return [...ofEnd, ...(await stateMismatches(tx, tenantId)), ...(await missingConfigurations(tx, walk))]
  })
  const { events, erased, firstAt, head, mismatches } = walk
  return { events, erased, firstAt, head, heads: walk.heads, mismatches: [...mismatches, ...ending] }
}

const nextEvents = `select ${columnList(eventTable, 'e')} from events e where tenant_id = ? and id > ? order by id limit ${eventsAtOnce}`

async function endMismatches(tx: Sql, tenantId: number, { head, latestErased }: ChainWalk): Promise<ChainMismatch[]> {
  const found: ChainMismatch[] = []
  if (
    latestErased !== null &&
    latestErased.at >= ((await lastErasure(tx, tenantId))?.before ?? Number.NEGATIVE_INFINITY)
  )
    found.push({ what: 'erased_early', ...latestErased })
  const text = 'select last_id as id, hash from event_chains where tenant_id = ?'
  const [{ id, hash } = { id: 0, hash: '' }] = await tx<Pick<ChainHead, 'id' | 'hash'>>(text, [tenantId])
  if (id !== (head?.id ?? 0) || hash !== (head?.hash ?? ''))
    found.push({ what: 'end_differs', id, at: head?.at ?? null })
  return found
}

/** Emptied events of before the last erasure that no erasure empties. */
async function emptiedEarly(tx: Sql, tenantId: number): Promise<readonly ChainMismatch[]> {
  const before = (await lastErasure(tx, tenantId))?.before ?? Number.MIN_SAFE_INTEGER
  const found: ChainMismatch[] = []
  for (const condition of unerasable) {
    const text = `select id, at, kind, subject from events e where e.tenant_id = @tenantId and e.data is null
      and e.at < @before and ${condition} order by id`
    for (const place of await tx<EventPlace>(text, [{ tenantId, before }]))
      found.push({ what: 'erased_early', ...place })
  }
  return found
}

/** Tenants of which there are events only. */
async function orphans(tx: Sql): Promise<readonly ChainMismatch[]> {
  const rows = await tx<{ readonly tenantId: number; readonly events: number; readonly at: number }>(
    `select tenant_id as "tenantId", count(*) as events, max(at) as at from events
     where tenant_id <> ${sharedChain} and tenant_id not in (select id from tenants) group by tenant_id order by tenant_id`,
  )
  return rows.map((row) => ({ what: 'tenant_missing', ...row }))
}

/** Events that name a configuration that the chain of configurations lacks. */
async function missingConfigurations(tx: Sql, { configurations }: ChainWalk): Promise<readonly ChainMismatch[]> {
  if (configurations.size === 0) return []
  const text = `select hash from events where tenant_id = ${sharedChain} and kind = 'configuration'`
  const hashes = new Set(await tx<string>(text, [], 'values'))
  return [...configurations].flatMap(([hash, event]) =>
    hashes.has(hash) ? [] : [{ what: 'configuration_missing', ...event }],
  )
}
