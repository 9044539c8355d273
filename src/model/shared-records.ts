interface OfTenant {
  readonly tenant: string
  readonly resource: string
  readonly key: string
}

/** Records that several tenants have: yields the first tenant and the record of each later one. */
export function* sharedRecords<Record extends OfTenant>(
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
