import type { FindingView } from '../model/finding.ts'
import { type Severity, severities } from '../model/severity.ts'
import type { Columns } from '../model/text/formats.ts'
import { grouped, plural } from '../model/text/numbers.ts'
import { withHiddenNames } from '../model/text/redact-finding.ts'

export const groupings = ['check', 'entity'] as const
export type Grouping = (typeof groupings)[number]

/** Findings of one check, or of one entity, of one tenant. */
export interface FindingGroup {
  readonly tenant: string
  /** Null if grouped by entity. */
  readonly check: string | null
  /** Null if grouped by check. */
  readonly entity: FindingView['entity'] | null
  readonly findings: number
  readonly severities: Readonly<Record<Severity, number>>
  /** ISO 8601. */
  readonly firstSeen: string
}

const highestFirst = severities.toReversed()

/** The highest severity first, then by tenant and check; otherwise in the given order. */
export function bySeverity(found: readonly FindingView[]): readonly FindingView[] {
  const rank = ({ severity }: FindingView) => severities.indexOf(severity)
  return found.toSorted(
    (a, b) => rank(b) - rank(a) || a.tenant.localeCompare(b.tenant) || a.check.localeCompare(b.check),
  )
}

/** The group with the most findings of the highest severity first; equal groups by tenant. */
export function groupsOf(found: readonly FindingView[], grouping: Grouping): readonly FindingGroup[] {
  const groups = Map.groupBy(found, ({ tenant, check, entity }) =>
    JSON.stringify([tenant, grouping === 'check' ? check : [entity.type, entity.id]]),
  )
  const counted = [...groups.values()].flatMap((same): FindingGroup[] => {
    const [first] = same
    if (first === undefined) return []
    const { tenant, check, entity } = withHiddenNames(first)
    const firstSeen = same.map((one) => one.firstSeen).reduce((a, b) => (a < b ? a : b))
    const facts = { tenant, findings: same.length, severities: countsOf(same), firstSeen }
    return [{ ...facts, check: grouping === 'check' ? check : null, entity: grouping === 'check' ? null : entity }]
  })
  return counted.sort((a, b) => {
    const first = highestFirst.find((severity) => a.severities[severity] !== b.severities[severity])
    if (first !== undefined) return b.severities[first] - a.severities[first]
    return a.tenant.localeCompare(b.tenant) || a.firstSeen.localeCompare(b.firstSeen)
  })
}

function countsOf(found: readonly FindingView[]): Readonly<Record<Severity, number>> {
  const counts = { info: 0, low: 0, medium: 0, high: 0, critical: 0 }
  for (const { severity } of found) counts[severity]++
  return counts
}

/** `133 open findings: 2 critical, 131 high`; for findings of several states without `open`. */
export function totals(found: readonly FindingView[]): string {
  const isOpen = found.every(({ state }) => state === 'open')
  const counts = countsOf(found)
  const bySeverities = highestFirst.flatMap((one) => (counts[one] > 0 ? [`${grouped(counts[one])} ${one}`] : []))
  return `${plural(found.length, isOpen ? 'open finding' : 'finding')}: ${bySeverities.join(', ')}`
}

export const groupColumns: Columns<FindingGroup> = {
  tenant: ({ tenant }) => tenant,
  check: ({ check }) => check,
  entityType: ({ entity }) => entity?.type,
  entityId: ({ entity }) => entity?.id,
  findings: ({ findings }) => findings,
  ...Object.fromEntries(highestFirst.map((one) => [one, (group: FindingGroup) => group.severities[one]])),
  firstSeen: ({ firstSeen }) => firstSeen,
}
