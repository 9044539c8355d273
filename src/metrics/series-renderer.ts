import { renderLine, renderTenant, tailOf } from './exposition.ts'
import type { AddSeries, FamilyDefinition } from './family.ts'

/** Cached label texts of all families; more of them means that waivers came and went. */
const mostTails = 10_000

interface Node {
  readonly next: Map<string, Node>
  text?: string
}

/** Renders the series of a tenant that `each` adds. */
export type RenderSeries = (family: FamilyDefinition, tenant: string, each: (add: AddSeries) => void) => string

/** Caches the labels after `tenant`, which most series share with those of other tenants. */
export function seriesRenderer(): RenderSeries {
  let roots = new Map<FamilyDefinition, Node>()
  let count = 0
  const tail = (family: FamilyDefinition, values: readonly string[]) => {
    let node = roots.get(family) ?? newNode(roots, family)
    for (const value of values) node = node.next.get(value) ?? newNode(node.next, value)
    if (node.text !== undefined) return node.text
    node.text = tailOf(family.labelNames, values)
    if (++count < mostTails) return node.text
    roots = new Map()
    count = 0
    return node.text
  }
  return (family, tenant, each) => {
    const head = family.name + renderTenant(tenant)
    let text = ''
    each((value, ...labels) => {
      text += renderLine(head + tail(family, labels), value)
    })
    return text
  }
}

function newNode<K>(nodes: Map<K, Node>, key: K): Node {
  const node: Node = { next: new Map() }
  nodes.set(key, node)
  return node
}
