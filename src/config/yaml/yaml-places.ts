import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type LineCounter, type Node } from 'yaml'
import type { KeyPath } from './key-path.ts'

export interface Position {
  readonly offset: number
  /** `line:column`, both from 1. */
  readonly text: string
}

/** The position of the value (or key) at a path; of the closest parent when it is missing. */
export function positionOf(document: Document, lines: LineCounter, path: KeyPath, at: 'key' | 'value'): Position {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const [index, part] of path.entries()) {
    const step = stepInto(resolved(node, document), part)
    if (step === undefined) break
    node = step.value
    const wantsKey = at === 'key' && index === path.length - 1
    offset = (wantsKey ? undefined : node?.range?.[0]) ?? step.key?.range?.[0] ?? offset
  }
  return positionAt(lines, offset)
}

export function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset)
  return { offset, text: `${line}:${col}` }
}

interface Step {
  readonly key: Node | undefined
  readonly value: Node | null
}

function stepInto(node: Node | null, part: string | number): Step | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(part)]
    return isNode(item) ? { key: undefined, value: item } : undefined
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === part)
  if (pair === undefined) return undefined
  return { key: isNode(pair.key) ? pair.key : undefined, value: isNode(pair.value) ? pair.value : null }
}

function resolved(node: Node | null, document: Document): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node
}
