interface OfTenant {
  readonly tenant: string
  readonly resource: string
  readonly key: string
}

/** Records that an earlier tenant has, too: the first one that has it, and the record of the later one. */
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
