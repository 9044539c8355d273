import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import pMap from 'p-map'

/** Lets other work run after each `max` units of work; call it for each unit. */
export function yieldAfter(max: number): () => Promise<void> {
  let done = 0
  return async () => {
    done = (done + 1) % max
    if (done === 0) await yieldToEventLoop()
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

/** @returns the results in the order of the tenants. @throws the first error. */
export function mapTenants<Tenant, T>(tenants: readonly Tenant[], read: (tenant: Tenant) => Promise<T>): Promise<T[]> {
  return pMap(tenants, read, { concurrency: tenantsAtOnce })
}
