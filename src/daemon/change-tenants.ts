import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { TenantSettings } from '../config/settings.ts'
import { openTenant, type TenantParts, type TenantPartsOptions } from './tenant-parts.ts'

/** Tenant names or waiver ids. */
export interface Change {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

export interface ChangedTenants {
  readonly tenants: readonly TenantParts[]
  readonly change: Change
  readonly opened: readonly TenantParts[]
  /** Tenants without an engine; their clients must still be closed. */
  readonly closed: readonly TenantParts[]
}

/**
 * Opens new engines once the runs of changed and removed tenants have ended. A tenant without a store belongs to
 * another replica. If it throws, all tenants are unchanged.
 */
export async function changeTenants(
  before: readonly TenantParts[],
  configured: readonly TenantSettings[],
  options: TenantPartsOptions,
): Promise<ChangedTenants> {
  const { stores } = options
  const next = configured.filter(({ name }) => stores.of(name) !== null)
  const formerly = new Map(before.map((parts) => [parts.settings.name, parts]))
  const kept = new Map<string, TenantParts>()
  for (const settings of next) {
    const former = formerly.get(settings.name)
    if (former?.store === stores.of(settings.name) && keepsEngine(former.settings, settings))
      kept.set(settings.name, { ...former, settings })
  }
  const opening = next.filter(({ name }) => !kept.has(name))
  await yieldToEventLoop()
  const closed = before.filter(({ settings }) => !kept.has(settings.name))
  await Promise.all(closed.map(({ scope }) => scope.end()))
  const opened = await openAll(opening, options).catch((error: unknown) => {
    for (const { scope } of closed) scope.resume()
    throw error
  })
  const parts = new Map([...kept, ...opened.map((one) => [one.settings.name, one] as const)])
  return {
    tenants: next.flatMap(({ name }) => parts.get(name) ?? []),
    change: changeBetween(byName(before.map(({ settings }) => settings)), byName(next)),
    opened,
    closed,
  }
}

async function openAll(tenants: readonly TenantSettings[], options: TenantPartsOptions): Promise<TenantParts[]> {
  const opened: TenantParts[] = []
  try {
    for (const tenant of tenants) {
      try {
        opened.push(await openTenant(tenant, options))
      } catch (error) {
        // Not an error if another replica took the tenant meanwhile.
        if (options.stores.of(tenant.name) !== null) throw error
      }
    }
    return opened
  } catch (error) {
    for (const { client } of opened) await client[Symbol.asyncDispose]()
    throw error
  }
}

/** A change of `checks` needs no new engine: each evaluation reads them. Client and engine contain all others. */
function keepsEngine({ checks: _, ...before }: TenantSettings, { checks: __, ...next }: TenantSettings): boolean {
  return isDeepStrictEqual(before, next)
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
