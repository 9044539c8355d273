import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from '../database.ts'
import { digestOf, hashOf, type StoredEvent, sharedChain } from '../event-store.ts'
import { fromJson } from '../words.ts'
import { type EventPlace, LastEvents, type StateMismatch, stateComparison } from './compare-state.ts'

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
  readonly last = new LastEvents()
  readonly mismatches: EventMismatch[] = []
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
    if (hash !== hashOf(this.head?.hash ?? '', digest)) this.mismatches.push({ what: 'chain_broken', ...place })
    this.events++
    this.firstAt ??= at
    this.head = { id, at, hash }
    if (this.#wanted.has(hash)) this.#found.push({ id, at, hash, position: this.events })
    if (data === null) {
      this.erased++
      if (this.latestErased === null || at > this.latestErased.at) this.latestErased = place
    }
    this.last.add(place, data !== null && isUnchanged ? fromJson(data) : null)
  }

  get heads(): readonly FoundHead[] {
    return this.#found.map(({ position, ...head }) => ({ ...head, later: this.events - position }))
  }
}

/**
 * Compares the events of a tenant with their hash chain, and the present state with its last events; also while an engine
 * runs. @param heads hashes to look for.
 */
export async function verifyChain(
  database: Database,
  tenantId: number,
  heads: readonly string[] = [],
): Promise<ChainVerification> {
  const next = database.prepare<[number, number], StoredEvent>(
    `select id, at, server_at as "serverAt", kind, subject, data, request_id as "requestId", digest, hash from events
     where tenant_id = ? and id > ? order by id limit ${eventsAtOnce}`,
  )
  const end = database.prepare<[number], { lastId: number; hash: string }>(
    'select last_id as "lastId", hash from event_chains where tenant_id = ?',
  )
  const erasure = database.prepareValues<[], string>(
    `select data from events where tenant_id = ${sharedChain} and kind = 'history.erased' and subject = '' order by id desc limit 1`,
  )
  const compare = stateComparison(database)
  const walk = new ChainWalk(tenantId, heads)
  const page = () => database.read((tx) => next.all(tx, tenantId, walk.head?.id ?? Number.MIN_SAFE_INTEGER))
  for (;;) {
    const events = await page()
    for (const event of events) walk.add(event)
    if (events.length < eventsAtOnce) break
    await yieldToEventLoop()
  }
  // In one transaction, because events and the state that they lead to are written together.
  const found = await database.read(async (tx) => {
    for (;;) {
      const events = await next.all(tx, tenantId, walk.head?.id ?? Number.MIN_SAFE_INTEGER)
      for (const event of events) walk.add(event)
      if (events.length < eventsAtOnce) break
    }
    const mismatches: ChainMismatch[] = [...walk.mismatches]
    const erased = walk.latestErased
    if (erased !== null && erased.at >= erasedBefore(await erasure.get(tx)))
      mismatches.push({ what: 'erased_early', ...erased })
    const { lastId: id = 0, hash = '' } = (await end.get(tx, tenantId)) ?? {}
    if (id !== (walk.head?.id ?? 0) || hash !== (walk.head?.hash ?? ''))
      mismatches.push({ what: 'end_differs', id, at: walk.head?.at ?? null })
    if (tenantId === sharedChain)
      for (const orphan of await compare.orphans(tx)) mismatches.push({ what: 'tenant_missing', ...orphan })
    else {
      mismatches.push(...(await compare.states(tx, tenantId, walk.last)))
      for (const event of await compare.missingConfigurations(tx, walk.last))
        mismatches.push({ what: 'configuration_missing', ...event })
    }
    return mismatches
  })
  const { events, erased, firstAt, head } = walk
  return { events, erased, firstAt, head, heads: walk.heads, mismatches: found }
}

function erasedBefore(data: string | undefined): number {
  return data === undefined ? Number.NEGATIVE_INFINITY : (fromJson(data) as { readonly before: number }).before
}
