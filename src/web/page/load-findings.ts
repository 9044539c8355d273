import { parseIsoDate } from '../../model/dates.ts'
import { dayMs } from '../../model/durations.ts'
import type { FindingView } from '../../model/finding.ts'
import type { CheckView, TenantPosture } from '../../model/posture.ts'
import { type Severity, severities } from '../../model/severity.ts'
import { type ShownQuery, shownFindings } from '../shown-findings.ts'
import type { WebSources } from '../web-options.ts'
import { isFiltered, type PageQuery } from './page-query.ts'

/** Findings on a page of a filtered list, in a group, in the first screen, and new ones that are counted. */
const most = { list: 50, group: 5, urgent: 6, recent: 100 }

/** Open findings of a check, the first five of them in full. */
export interface FindingGroup {
  readonly check: CheckView
  readonly shown: readonly FindingView[]
}

export interface FoundFindings {
  /** Without a filter, the checks with open findings, the most severe first; else empty. */
  readonly groups: readonly FindingGroup[]
  /** The list that a filter selects, the newest first; else empty. */
  readonly list: readonly FindingView[]
  readonly hasMore: boolean
  /** True when no open finding matches, so that the list has those that were resolved. */
  readonly areResolved: boolean
  /** Critical and high open findings, the first ones in full. */
  readonly urgent: readonly FindingView[]
  /** Findings that were opened within a day. */
  readonly recent: readonly FindingView[]
}

export interface LoadFindings {
  readonly posture: TenantPosture
  readonly query: PageQuery
  readonly findings: WebSources['findings']
  readonly exposeDetails: boolean
  readonly now: number
}

/** Reads no more findings than the page shows, unless they are searched for a text. */
export async function loadFindings(request: LoadFindings): Promise<FoundFindings> {
  const { posture, query, now } = request
  const urgent = await bySeverity(request, {}, ['critical', 'high'], most.urgent)
  const since = now - dayMs
  const changed = await take(request, { since, descending: true }, most.recent)
  const recent = changed.filter(({ firstSeen }) => (parseIsoDate(firstSeen)?.ms ?? 0) >= since)
  const found = { urgent, recent, groups: [], list: [], hasMore: false, areResolved: false }
  if (isFiltered(query)) return { ...found, ...(await loadList(request)) }
  const groups: FindingGroup[] = []
  for (const check of posture.checks.filter((one) => rankOf(one) >= 0).toSorted((a, b) => rankOf(b) - rankOf(a))) {
    const possible = severities.toReversed().filter((severity) => (check.open[severity] ?? 0) > 0)
    groups.push({ check, shown: await bySeverity(request, { check: check.check }, possible, most.group) })
  }
  return { ...found, groups }
}

/** The newest first. Behind an old link, where no open finding matches any more, those that were resolved. */
async function loadList(request: LoadFindings): Promise<Pick<FoundFindings, 'list' | 'hasMore' | 'areResolved'>> {
  const { check, text, after, state, severities: wanted } = request.query
  const filter: ShownQuery = {
    descending: true,
    text,
    ...(check !== null && { check }),
    ...(after !== null && { after }),
    ...(wanted !== null && { severities: wanted }),
  }
  const states = state === 'all' ? (['open', 'waived'] as const) : [state]
  const list = await take(request, { ...filter, states }, most.list + 1)
  // The place is gone: the list begins again, because an empty page would look like "nothing found".
  if (list.length === 0 && after !== null) return loadList({ ...request, query: { ...request.query, after: null } })
  const isOld = list.length === 0 && state === 'open' && (check !== null || text !== '')
  if (!isOld) return { list: list.slice(0, most.list), hasMore: list.length > most.list, areResolved: false }
  const resolved = await take(request, { ...filter, states: ['resolved'] }, most.list)
  const newest = resolved.toSorted((a, b) => (b.resolvedAt ?? '').localeCompare(a.resolvedAt ?? ''))
  return { list: newest, hasMore: false, areResolved: newest.length > 0 }
}

async function bySeverity(
  request: LoadFindings,
  query: ShownQuery,
  order: readonly Severity[],
  count: number,
): Promise<readonly FindingView[]> {
  const found: FindingView[] = []
  for (const severity of order) {
    if (found.length >= count) break
    found.push(...(await take(request, { ...query, severities: [severity] }, count - found.length)))
  }
  return found
}

async function take(
  { posture, findings, exposeDetails }: LoadFindings,
  query: ShownQuery,
  count: number,
): Promise<readonly FindingView[]> {
  const found: FindingView[] = []
  for await (const batch of shownFindings(findings, { tenant: posture.tenant, ...query }, exposeDetails)) {
    found.push(...batch.slice(0, count - found.length))
    if (found.length >= count) break
  }
  return found
}

/** Rank of the highest severity among the open findings; -1 without one. */
export function rankOf({ open }: CheckView): number {
  return severities.findLastIndex((severity) => (open[severity] ?? 0) > 0)
}

/** Number of findings that match the query, ignoring its text, from the counts of the checks. */
export function counted(posture: TenantPosture, { check, state, severities: wanted }: PageQuery): number {
  let sum = 0
  for (const view of posture.checks) {
    if (check !== null && view.check !== check) continue
    for (const severity of wanted ?? severities) {
      if (state === 'open' || state === 'all') sum += view.open[severity] ?? 0
      if (state === 'waived' || state === 'all') sum += view.waived[severity] ?? 0
    }
  }
  return sum
}
