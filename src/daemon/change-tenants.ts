import { isDeepStrictEqual } from 'node:util'
import type { TenantSettings } from '../config/settings.ts'
import { openTenant, type Tenant, type TenantOptions } from './tenant.ts'

/** Tenant names or waiver ids. */
export interface Change {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

export type ChangedTenants = Awaited<ReturnType<typeof changeTenants>>

/**
 * Start, reload and lease alike: stops the tenants that were removed, changed or given to another replica, then opens
 * those that are new or changed. If it throws, all tenants are unchanged.
 */
export async function changeTenants(
  before: readonly Tenant[],
  configured: readonly TenantSettings[],
  options: TenantOptions,
) {
  const { stores } = options
  const next = configured.filter(({ name }) => stores.of(name) !== null)
  const previous = new Map(before.map((tenant) => [tenant.settings.name, tenant]))
  const change = changeBetween(new Map([...previous].map(([name, { settings }]) => [name, settings])), byName(next))
  const kept = new Map<string, Tenant>()
  for (const settings of next) {
    const tenant = previous.get(settings.name)
    if (tenant?.store === stores.of(settings.name) && keepsEngine(tenant.settings, settings))
      kept.set(settings.name, tenant)
  }
  /** Tenants that have stopped and must still be disposed of. */
  const closed = before.filter(({ settings }) => !kept.has(settings.name))
  await Promise.all(closed.map((tenant) => tenant.stop()))
  const opened: Tenant[] = []
  try {
    for (const settings of next) if (!kept.has(settings.name)) opened.push(...(await openIfOwned(settings, options)))
  } catch (error) {
    for (const tenant of opened) await tenant[Symbol.asyncDispose]()
    for (const tenant of closed) tenant.resume()
    // Opening may have held one at its new address, which does not come into force.
    await Promise.allSettled(closed.map(({ engine }) => engine.begin()))
    throw error
  }
  const present = new Map([...kept, ...opened.map((tenant) => [tenant.settings.name, tenant] as const)])
  for (const settings of next) {
    const tenant = kept.get(settings.name)
    if (tenant !== undefined) tenant.settings = settings
  }
  return { tenants: next.flatMap(({ name }) => present.get(name) ?? []), change, opened, closed }
}

/** None if another replica took the tenant meanwhile. */
async function openIfOwned(settings: TenantSettings, options: TenantOptions): Promise<readonly Tenant[]> {
  try {
    return [await openTenant(settings, options)]
  } catch (error) {
    if (options.stores.of(settings.name) !== null) throw error
    return []
  }
}

/** These need no new engine: they are read at each evaluation and output. Client and engine contain all others. */
const outside = { checks: {}, portalUrl: {} }

function keepsEngine(before: TenantSettings, next: TenantSettings): boolean {
  return isDeepStrictEqual({ ...before, ...outside }, { ...next, ...outside })
}

function byName(tenants: readonly TenantSettings[]): ReadonlyMap<string, TenantSettings> {
  return new Map(tenants.map((tenant) => [tenant.name, tenant]))
}

/** Keys that were added, changed or removed. */
export function changeBetween<T>(before: ReadonlyMap<string, T>, next: ReadonlyMap<string, T>): Change {
  const keys = [...next.keys()]
  return {
    added: keys.filter((key) => !before.has(key)),
    changed: keys.filter((key) => before.has(key) && !isDeepStrictEqual(before.get(key), next.get(key))),
    removed: [...before.keys()].filter((key) => !next.has(key)),
  }
}
