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
  readonly #unique: string | undefined
  readonly #root: Node = { count: 0, next: new Map() }
  readonly #texts = new Set<string>()
  #groups = 0
  #repeats = false

  constructor(definition: ResourceDefinition) {
    this.#fields = countedFields(definition)
    this.#unique = definition.kind === 'feed' ? definition.unique?.field : undefined
  }

  add({ fields, absent }: MirrorRecord): void {
    let node = this.#root
    for (const field of this.#fields) node = this.#nodeOf(node, (fields[field] ?? null) as Scalar)
    node.count++
    if (this.#unique === undefined || absent || this.#repeats) return
    const text = fields[this.#unique]
    if (typeof text !== 'string' || text === '') return
    const distinct = this.#texts.size
    this.#repeats = this.#texts.add(text.toLowerCase()).size === distinct
  }

  result(): RecordCounts {
    return { fields: this.#fields, groups: [...groupsIn(this.#root, [])], repeats: this.#repeats }
  }

  #nodeOf({ next }: Node, value: Scalar): Node {
    const known = next.get(value)
    if (known !== undefined) return known
    if (this.#groups >= mostGroups && value !== otherValue) return this.#nodeOf({ count: 0, next }, otherValue)
    this.#groups++
    const node: Node = { count: 0, next: new Map() }
    next.set(value, node)
    return node
  }
}

/** Records with the same values so far; `next` by the value of the next field. */
interface Node {
  count: number
  readonly next: Map<Scalar, Node>
}

function* groupsIn({ count, next }: Node, values: readonly Scalar[]): Iterable<GroupCount> {
  if (next.size === 0) {
    if (count > 0) yield { values, count }
    return
  }
  for (const [value, node] of next) yield* groupsIn(node, [...values, value])
}
