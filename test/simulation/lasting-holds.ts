import type { HoldRow } from '../../src/mirror/port.ts'
import { hourMs } from '../../src/model/durations.ts'
import type { Machine } from './machine.ts'
import { keysOf, quarantinedKeys } from './oracle-mirror.ts'
import type { Feed } from './readings.ts'
import type { Service, ServiceAnswer } from './service.ts'
import type { World } from './world.ts'

export interface HeldParts {
  readonly world: World
  readonly machine: Machine
  readonly service: Service
}

/** The smallest page that rule (b) judges. */
const leastPage = 5
const feeds: readonly Feed[] = ['users', 'documents', 'api-clients']

/**
 * True when the contract leaves a hold of the whole tenant to a person although nothing is wrong any longer (contract:
 * Tenant guard, "lifts by itself when the check that raised it passes"): the check that raised it is done again on the
 * tenant as it is, and does not pass. All others must have lifted.
 *
 * - (a) Of a tenant hardly read yet, everything known may be gone or stand behind the first pages.
 * - (b) Where removals move rows past an offset cursor, walks may have passed over most of a page of old records.
 */
export async function mayLast(parts: HeldParts, { cause }: Pick<HoldRow, 'cause'>): Promise<boolean> {
  switch (cause['check']) {
    case 'proof':
    case 'denied':
      return isStranger(parts)
    case 'page':
      return (await isStrangePage(parts, cause)) || (await isStranger(parts))
    default:
      return false
  }
}

/** No first page that counts shows a known id. */
async function isStranger({ world, machine, service }: HeldParts): Promise<boolean> {
  for (const feed of feeds) {
    if ((await machine.mirror.liveCount(machine.tenantId, feed)) === 0) continue
    const known = knownIds(machine, feed)
    if (service.answer(`/api/public/${feed}`, world).shown.some((id) => known.has(id))) return false
  }
  return true
}

/** The page that was refused, or any of a list that is walked to it, is refused again. */
async function isStrangePage(
  { world, machine, service }: HeldParts,
  { resource, query }: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const feed = feeds.find((name) => name === resource)
  if (feed === undefined) return false
  const { completeServerTime } = await machine.mirror.syncState(machine.tenantId, feed)
  if (completeServerTime === null) return false
  const known = knownIds(machine, feed)
  const isRefused = ({ shown }: ServiceAnswer) => {
    const old = shown.filter((id) => !known.has(id) && createdAt(world, feed, id) < completeServerTime - hourMs)
    return shown.length >= leastPage && old.length * 2 > shown.length
  }
  const ask = (words: Readonly<Record<string, string>>) =>
    service.answer(`/api/public/${feed}?${new URLSearchParams(words)}`, world)
  if (feed !== 'api-clients') {
    const page = ask(query as Record<string, string>)
    return isRefused(page.status === 400 ? ask({}) : page)
  }
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
  const found = { users: world.users, documents: world.documents, 'api-clients': world.clients }[feed].get(id)
  if (found === null) throw new TypeError(`The tenant showed ${feed} ${id}, which it does not have`)
  return found.createdAt
}
