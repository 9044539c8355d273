import type { ResourceDefinition } from '../model/resource.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { RecordCounts } from '../store/port.ts'
import type { MirrorRecord, RecordReader, Scalar } from '../store/records/query.ts'

/** Groups of a resource; beyond them, of a server that sends ever new values, all texts count as one. */
const mostGroups = 1000

/** Fields by which the resource's live records are counted for its gauges. */
export function countedFields({ gauges = [] }: Pick<ResourceDefinition, 'gauges'>): readonly string[] {
  const fields = gauges.flatMap((gauge) => (gauge.kind === 'count' ? Object.keys(gauge.by) : []))
  return [...new Set(fields)]
}

/** Counts the records of one reading of a resource by the values of these fields. */
export class RecordTally {
  readonly #fields: readonly string[]
  readonly #groups = new Map<string, { readonly values: readonly Scalar[]; count: number }>()

  constructor(fields: readonly string[]) {
    this.#fields = fields
  }

  add({ fields }: MirrorRecord): void {
    let values = this.#fields.map((name) => (fields[name] ?? null) as Scalar)
    if (this.#groups.size >= mostGroups && !this.#groups.has(JSON.stringify(values)))
      values = values.map((value) => (typeof value === 'string' ? '(other)' : value))
    const key = JSON.stringify(values)
    const group = this.#groups.get(key) ?? { values, count: 0 }
    group.count++
    this.#groups.set(key, group)
  }

  result(): RecordCounts {
    return { fields: this.#fields, groups: [...this.#groups.values()] }
  }
}

/** True if two records that the last complete full sync contained have the same text, whatever its letter case. */
export async function hasRepeats(reader: RecordReader, resource: ResourceName, field: string): Promise<boolean> {
  const texts = new Set<string>()
  for await (const slice of reader.select(resource)) {
    for (const { fields, absent } of slice) {
      const text = fields[field]
      if (absent || typeof text !== 'string' || text === '') continue
      const known = texts.size
      if (texts.add(text.toLowerCase()).size === known) return true
    }
  }
  return false
}
