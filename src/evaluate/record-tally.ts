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

type Group = Omit<GroupCount, 'count'> & { count: number }

/** Counts the records of one reading of a resource. */
export class RecordTally {
  readonly #fields: readonly string[]
  readonly #groups = new Map<string, Group>()

  constructor(definition: ResourceDefinition) {
    this.#fields = countedFields(definition)
  }

  add({ fields }: MirrorRecord): void {
    const values = this.#fields.map((field) => (fields[field] ?? null) as Scalar)
    const group = this.#groups.get(JSON.stringify(values)) ?? this.#newGroup(values)
    group.count++
  }

  #newGroup(wanted: readonly Scalar[]): Group {
    const values = this.#groups.size < mostGroups ? wanted : wanted.map(() => otherValue)
    const key = JSON.stringify(values)
    const group = this.#groups.get(key) ?? { values, count: 0 }
    this.#groups.set(key, group)
    return group
  }

  result(): RecordCounts {
    return { fields: this.#fields, groups: [...this.#groups.values()] }
  }
}
