import type { FindingView } from '../model/finding.ts'
import { countsInWords, highestFirst, noFindings, type Severity, total } from '../model/severity.ts'
import type { Columns } from '../model/text/formats.ts'
import { plural } from '../model/text/words.ts'
import { withHiddenNames } from '../resources/redact-finding.ts'

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

/** The group with the most findings of the highest severity first; equal groups by tenant. */
export async function groupsOf(
  found: AsyncIterable<FindingView>,
  grouping: Grouping,
): Promise<readonly FindingGroup[]> {
  const groups = new Map<string, FindingGroup>()
  for await (const finding of found) {
    const { tenant, check, entity, severity, firstSeen } = finding
    const key = JSON.stringify([tenant, grouping === 'check' ? check : [entity.type, entity.id]])
    const group = groups.get(key) ?? newGroup(withHiddenNames(finding), grouping)
    const counts = { ...group.severities, [severity]: group.severities[severity] + 1 }
    const first = firstSeen < group.firstSeen ? firstSeen : group.firstSeen
    groups.set(key, { ...group, findings: group.findings + 1, severities: counts, firstSeen: first })
  }
  return [...groups.values()].sort((a, b) => {
    const first = highestFirst.find((severity) => a.severities[severity] !== b.severities[severity])
    if (first !== undefined) return b.severities[first] - a.severities[first]
    return a.tenant.localeCompare(b.tenant) || a.firstSeen.localeCompare(b.firstSeen)
  })
}

function newGroup({ tenant, check, entity, firstSeen }: FindingView, grouping: Grouping): FindingGroup {
  const named = grouping === 'check' ? { check, entity: null } : { check: null, entity }
  return { tenant, ...named, findings: 0, severities: noFindings, firstSeen }
}

/** Counts findings while they are read. */
export class FindingTotals {
  readonly #counts = { ...noFindings }
  #areOpen = true

  async *of(found: AsyncIterable<FindingView>): AsyncIterable<FindingView> {
    for await (const finding of found) {
      this.#counts[finding.severity]++
      this.#areOpen &&= finding.state === 'open'
      yield finding
    }
  }

  /** `133 open findings: 2 critical, 131 high`; for findings of several states without `open`. */
  inWords(): string {
    const all = total(this.#counts)
    return `${plural(all, this.#areOpen ? 'open finding' : 'finding')}: ${countsInWords(this.#counts).join(', ')}`
  }
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
