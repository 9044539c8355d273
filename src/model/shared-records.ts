export interface TenantRecord {
  readonly tenant: string
  readonly resource: string
  readonly key: string
}

/** Records that several tenants have: yields the first tenant and the record of each later one. */
export function* sharedRecords<Record extends TenantRecord>(
  records: Iterable<Record>,
): Generator<{ readonly first: string; readonly record: Record }> {
  const firstWith = new Map<string, string>()
  for (const record of records) {
    const id = `${record.resource} ${record.key}`
    const first = firstWith.get(id) ?? record.tenant
    firstWith.set(id, first)
    if (first !== record.tenant) yield { first, record }
  }
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
  const records = (await mirror.firstRecords()).filter(({ tenant }) => names.has(tenant))
  for (const { first, record } of sharedRecords(records)) {
    shared.set(record.tenant, first)
    if (!shared.has(first)) shared.set(first, record.tenant)
  }
  return shared
}
