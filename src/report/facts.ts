import { factName, factText } from '../web/page/text.ts'
import type { ReportFinding } from './build-report.ts'

export type Fact = readonly [name: string, text: string]

/** Evidence or options as names and texts. */
export function factsIn(values: Readonly<Record<string, unknown>>): readonly Fact[] {
  return Object.entries(values).map(([name, value]) => [factName(name), factText(value)])
}

export interface GroupFacts {
  /** Facts that all findings of the group share; empty for a single finding. */
  readonly shared: readonly Fact[]
  readonly ownOf: (finding: ReportFinding) => readonly Fact[]
}

export function groupFacts(group: readonly ReportFinding[]): GroupFacts {
  const [first, ...others] = group.map(({ evidence }) => new Map(factsIn(evidence)))
  const isShared = ([name, value]: Fact) => others.length > 0 && others.every((facts) => facts.get(name) === value)
  const shared = [...(first ?? [])].filter(isShared)
  const names = new Set(shared.map(([name]) => name))
  return { shared, ownOf: ({ evidence }) => factsIn(evidence).filter(([name]) => !names.has(name)) }
}
