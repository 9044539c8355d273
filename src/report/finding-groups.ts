import { entityWords } from '../model/entity-names.ts'
import type { FindingView } from '../model/finding.ts'
import { type Severity, severities } from '../model/severity.ts'
import { fits, fittingTable } from './fitting-table.ts'
import { type Serialization, toMinute } from './formats.ts'
import type { Terminal } from './terminal.ts'

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

/** The group with the most findings of the highest severity first; equal groups by tenant. */
export function groupsOf(found: Iterable<FindingView>, grouping: Grouping): readonly FindingGroup[] {
  const groups = new Map<string, { -readonly [Name in keyof FindingGroup]: FindingGroup[Name] }>()
  for (const { tenant, check, entity, severity, firstSeen } of found) {
    const key = JSON.stringify([tenant, grouping === 'check' ? check : [entity.type, entity.id]])
    const group = groups.get(key) ?? {
      tenant,
      check: grouping === 'check' ? check : null,
      entity: grouping === 'entity' ? entity : null,
      ...{ findings: 0, severities: { critical: 0, high: 0, medium: 0, low: 0, info: 0 }, firstSeen },
    }
    group.findings++
    group.severities = { ...group.severities, [severity]: group.severities[severity] + 1 }
    if (firstSeen < group.firstSeen) group.firstSeen = firstSeen
    groups.set(key, group)
  }
  return [...groups.values()].sort((a, b) => {
    const first = highestFirst.find((severity) => a.severities[severity] !== b.severities[severity])
    if (first !== undefined) return b.severities[first] - a.severities[first]
    return a.tenant.localeCompare(b.tenant) || a.firstSeen.localeCompare(b.firstSeen)
  })
}

/** A column for each severity if these fit, else the counts in words. */
export function groupsTable(groups: readonly FindingGroup[], grouping: Grouping, terminal: Terminal | null): string {
  const isOneTenant = new Set(groups.map(({ tenant }) => tenant)).size === 1
  const tenant = isOneTenant ? ['TENANT'] : []
  const [what = '', ...id] = grouping === 'check' ? ['CHECK'] : terminal === null ? ['ENTITY', 'ID'] : ['ENTITY']
  const names = ({ check, entity }: FindingGroup) => {
    if (entity === null) return [check ?? '']
    return terminal === null ? [entity.type, entity.id] : [entityWords(entity).join(' ')]
  }
  const columns = fittingTable(
    ['TENANT', what, ...id, 'FINDINGS', ...highestFirst.map((severity) => severity.toUpperCase()), 'SINCE (UTC)'],
    groups.map((group) => [
      group.tenant,
      ...names(group),
      String(group.findings),
      ...highestFirst.map((severity) => String(group.severities[severity] || '')),
      toMinute(group.firstSeen),
    ]),
    terminal,
    { optional: ['SINCE (UTC)', ...tenant] },
  )
  if (terminal === null || fits(columns, terminal)) return columns
  const rows = groups.map((group) => [group.tenant, ...names(group), countsOf(group)])
  return fittingTable(['TENANT', what, 'FINDINGS'], rows, terminal, { optional: tenant, ownLine: what })
}

/** Such as `1 critical, 2 high`. */
function countsOf({ severities: counts }: FindingGroup): string {
  return highestFirst
    .flatMap((severity) => (counts[severity] > 0 ? [`${counts[severity]} ${severity}`] : []))
    .join(', ')
}

export const groupColumns: Serialization<FindingGroup> = {
  columns: ['tenant', 'check', 'entityType', 'entityId', 'findings', ...highestFirst, 'firstSeen'],
  cells: ({ tenant, check, entity, findings, severities: counts, firstSeen }) => [
    ...[tenant, check, entity?.type, entity?.id, findings],
    ...highestFirst.map((severity) => counts[severity]),
    firstSeen,
  ],
}
