import type { HoldCause } from '../../src/model/holds.ts'
import { hourMs } from '../../src/model/time.ts'
import type { HoldRow } from '../../src/store/port.ts'
import type { Ledger } from './ledger.ts'
import type { Machine } from './machine.ts'
import { keysOf, quarantinedKeys } from './oracle-mirror.ts'
import type { Feed } from './readings.ts'
import type { Service, ServiceAnswer } from './service.ts'
import type { World } from './world.ts'

export interface HeldParts {
  readonly world: World
  readonly machine: Machine
  readonly service: Service
  readonly ledger: Ledger
}

/** The smallest page that the page rule is about. */
const leastPage = 5
const allFeeds: readonly Feed[] = ['users', 'documents', 'api-clients']

/**
 * True when a hold of the whole tenant waits for a person although nothing is wrong any longer
 * (docs/internals/sync.md#8-tenant-identity): the proof is tried on the tenant as it is, and fails. All others must have been
 * released.
 *
 * - No GUID that the mirror knows is left: everything known was replaced while nothing could be read.
 * - A replay without a readable time was taken for a full sync by a process that knew no newer one.
 * - Where removals move rows past an offset cursor, full syncs may have passed over most of a page of old records.
 */
export async function mayLast(parts: HeldParts, { cause }: Pick<HoldRow, 'cause'>): Promise<boolean> {
  return isUnknownTenant(parts) || (cause.check === 'page' && (await isStrangePage(parts, cause)))
}

/** No GUID of the tenant is known. */
function isUnknownTenant({ world, machine }: HeldParts): boolean {
  const guids = (['api-clients', 'documents'] as const).filter((feed) => liveCount(machine, feed) > 0)
  // Users prove nothing.
  if (guids.length === 0) return false
  const provisional = new Set(machine.query('select key from records where provisional = 1').map(({ key }) => key))
  return guids.every((feed) => {
    const known = knownIds(machine, feed)
    return world.ids(feed).every((id) => !known.has(id) || provisional.has(id))
  })
}

function liveCount(machine: Machine, feed: Feed): number {
  const table = feed === 'api-clients' ? 'api_clients' : feed
  const [row] = machine.query(`select count(*) as n from ${table} where removed_at is null`)
  return Number(row?.['n'])
}

/** A page of the list is refused when it is read in full. */
async function isStrangePage(
  { world, machine, service, ledger }: HeldParts,
  { resource }: Extract<HoldCause, { readonly check: 'page' }>,
): Promise<boolean> {
  const feed = allFeeds.find((name) => name === resource)
  if (feed === undefined) return false
  const { completeServerTime } = await machine.mirror.syncState(machine.tenantId, feed)
  if (completeServerTime === null) return ledger.replays.has(feed)
  const known = knownIds(machine, feed)
  const isRefused = ({ shown }: ServiceAnswer) => {
    const old = shown.filter((id) => !known.has(id) && createdAt(world, feed, id) < completeServerTime - hourMs)
    return shown.length >= leastPage && old.length * 2 > shown.length
  }
  const ask = (words: Readonly<Record<string, string>>) =>
    service.answer(`/api/public/${feed}?${new URLSearchParams(words)}`, world)
  for (let page = ask({}); ; ) {
    if (isRefused(page)) return true
    const next = page.pagination?.['nextCursor']
    if (page.pagination?.['hasMore'] !== true || typeof next !== 'string') return false
    page = ask({ cursor: next })
  }
}

function knownIds(machine: Machine, feed: Feed): ReadonlySet<string> {
  return new Set([...keysOf(machine, feed), ...quarantinedKeys(machine, feed)])
}

function createdAt(world: World, feed: Feed, id: string): number {
  const found = world.lists[feed].get(id)
  if (found === null) throw new TypeError(`The tenant showed ${feed} ${id}, which it does not have`)
  return found.createdAt
}
