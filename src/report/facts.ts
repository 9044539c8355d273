import { factName } from '../web/page/text.ts'
import type { ReportFinding } from './build-report.ts'

export type Fact = readonly [name: string, text: string]

/** Evidence or options as names and texts. */
export function factsIn(values: Readonly<Record<string, unknown>>): readonly Fact[] {
  return Object.entries(values).map(([name, value]) => [
    factName(name),
    value === '' || typeof value !== 'string' ? text(value) : value,
  ])
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

/** Lists and objects as `(id: soc2, maxAgeDays: 365), (id: iso, maxAgeDays: null)`; empty values as JSON. */
function text(value: unknown): string {
  if (typeof value === 'string') return nestedText(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((one: unknown) => inner(one))
    : Object.entries(value).map(([name, one]) => `${nestedText(factName(name))}: ${inner(one)}`)
  return parts.length === 0 ? JSON.stringify(value) : parts.join(', ')
}

function inner(value: unknown): string {
  const shown = text(value)
  const isGroup = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  return isGroup ? `(${shown})` : shown
}

/** Quotes a text that could be read as several. */
function nestedText(value: string): string {
  return /^$|[,()"]/.test(value) ? JSON.stringify(value) : value
}
