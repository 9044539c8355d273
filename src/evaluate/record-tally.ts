import type { ResourceDefinition } from '../model/resource.ts'
import type { GroupCount, RecordCounts } from '../store/port.ts'
import type { MirrorRecord, Scalar } from '../store/records/query.ts'

/** Groups of a resource; further ones, of a server that sends ever new values, count as one. */
const mostGroups = 1000
const otherValue = '(other)'

/** Fields by which the resource's live records are counted for its gauges. */
export function countedFields({ gauges = [] }: Pick<ResourceDefinition, 'gauges'>): readonly string[] {
  const fields = gauges.flatMap((gauge) => (gauge.kind === 'count' ? Object.keys(gauge.by) : [gauge.field]))
  return [...new Set(fields)]
}

/** Counts the records of one reading of a resource. */
export class RecordTally {
  readonly #fields: readonly string[]
  readonly #groups = new Map<string, GroupCount>()

  constructor(definition: ResourceDefinition) {
    this.#fields = countedFields(definition)
  }

  add({ fields }: MirrorRecord): void {
    let values = this.#fields.map((field) => (fields[field] ?? null) as Scalar)
    if (this.#groups.size >= mostGroups && !this.#groups.has(JSON.stringify(values)))
      values = values.map(() => otherValue)
    const key = JSON.stringify(values)
    this.#groups.set(key, { values, count: (this.#groups.get(key)?.count ?? 0) + 1 })
  }

  result(): RecordCounts {
    return { fields: this.#fields, groups: [...this.#groups.values()] }
  }
}
