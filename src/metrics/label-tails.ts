import { renderTail } from './exposition.ts'
import type { FamilyDefinition, Sample } from './family.ts'

/** Of all families together; more means that waivers came and went. */
const mostTails = 10_000

interface Node {
  readonly next: Map<string, Node>
  text?: string
}

export type TailOf = (family: FamilyDefinition, labels: Sample['labels']) => string

/** Renders and caches the labels behind `tenant`, which are the same for all tenants: a fleet has most of its series thus. */
export function labelTails(): TailOf {
  let roots = new Map<FamilyDefinition, Node>()
  let count = 0
  return (family, labels) => {
    let node = roots.get(family) ?? newNode(roots, family)
    for (const name of family.labelNames) {
      const value = labels[name] ?? ''
      node = node.next.get(value) ?? newNode(node.next, value)
    }
    if (node.text !== undefined) return node.text
    node.text = renderTail(labels, family.labelNames)
    if (++count < mostTails) return node.text
    roots = new Map()
    count = 0
    return node.text
  }
}

function newNode<K>(nodes: Map<K, Node>, key: K): Node {
  const node: Node = { next: new Map() }
  nodes.set(key, node)
  return node
}
