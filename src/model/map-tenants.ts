import pMap from 'p-map'
import { yieldAfter } from './yield-to-event-loop.ts'

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
