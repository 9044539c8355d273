import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import pMap from 'p-map'

/** Lets other work run after each `max` units of work; `amount` is the work done since the last call. */
export function yieldAfter(max: number): (amount?: number) => Promise<void> {
  let done = 0
  return async (amount = 1) => {
    done += amount
    if (done < max) return
    done = 0
    await yieldToEventLoop()
  }
}

/** Consecutive parts of at most `size` items, so that other work can go on between them. */
export function* inParts<T>(items: Iterable<T>, size = 500): Iterable<readonly T[]> {
  let part: T[] = []
  for (const item of items) {
    part.push(item)
    if (part.length < size) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

/** Tenants that are read in parallel, for a mirror on a network. */
const tenantsAtOnce = 8

/** Tenants per turn of the event loop; with those read in parallel about 10 ms of work. */
const tenantsPerTurn = 2

/** @returns the results in the order of the tenants. @throws the first error. */
export function mapTenants<Tenant, T>(tenants: readonly Tenant[], read: (tenant: Tenant) => Promise<T>): Promise<T[]> {
  const turn = yieldAfter(tenantsPerTurn)
  const readInTurn = async (tenant: Tenant) => {
    const known = await read(tenant)
    await turn()
    return known
  }
  return pMap(tenants, readInTurn, { concurrency: tenantsAtOnce })
}
