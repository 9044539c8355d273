export interface TenantRecord {
  readonly tenant: string
  readonly resource: string
  readonly key: string
}

/** By name of a configured tenant: another one with the same API clients or documents. */
export type SharedBy = ReadonlyMap<string, string>

/** Configured tenants whose tokens belong to the same tenant (docs/internals/reliability.md#what-is-not-proven). */
export async function sharedTenants(
  mirror: { firstRecords(): Promise<readonly TenantRecord[]> },
  configured: readonly string[],
): Promise<SharedBy> {
  const shared = new Map<string, string>()
  if (configured.length < 2) return shared
  const names = new Set(configured)
  const firstWith = new Map<string, string>()
  for (const { tenant, resource, key } of await mirror.firstRecords()) {
    if (!names.has(tenant)) continue
    const id = `${resource} ${key}`
    const first = firstWith.get(id) ?? tenant
    firstWith.set(id, first)
    if (first === tenant) continue
    shared.set(tenant, first)
    if (!shared.has(first)) shared.set(first, tenant)
  }
  return shared
}
