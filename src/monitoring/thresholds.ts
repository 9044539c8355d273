/** A configured value and a label matcher for its tenants; empty for all tenants. */
export interface Threshold<T> {
  readonly value: T
  /** Such as `tenant="acme"`, `tenant=~"a|b"` or `tenant!~"a|b"`. */
  readonly matcher: string
}

/**
 * Groups tenants by a configured value. The most frequent value applies to every tenant not named, so that a tenant added
 * later has alerts before the rules are generated again.
 */
export function byTenant<Tenant extends { readonly name: string }, T>(
  tenants: readonly Tenant[],
  read: (tenant: Tenant) => T,
): readonly Threshold<T>[] {
  const groups = new Map<string, { readonly value: T; readonly names: string[] }>()
  for (const tenant of tenants) {
    const value = read(tenant)
    const key = JSON.stringify(value)
    const group = groups.get(key) ?? { value, names: [] }
    group.names.push(tenant.name)
    groups.set(key, group)
  }
  const [most, ...others] = [...groups.values()].sort((a, b) => b.names.length - a.names.length)
  if (most === undefined) return []
  const named = others.flatMap(({ names }) => names)
  const rest = named.length === 0 ? '' : `tenant!~"${named.toSorted().join('|')}"`
  return [
    { value: most.value, matcher: rest },
    ...others.map(({ value, names }) => ({ value, matcher: `tenant=~"${names.toSorted().join('|')}"` })),
  ]
}
