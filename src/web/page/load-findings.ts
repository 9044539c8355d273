import type { FindingView } from '../../model/finding.ts'
import type { CheckView, TenantPosture } from '../../model/posture.ts'
import { withoutDetails } from '../../model/redact-finding.ts'
import { type Severity, severities } from '../../model/severity.ts'
import type { FindingQuery, WebSources } from '../web-options.ts'
import type { PageQuery, SortKey } from './page-query.ts'

/** Of findings that must be searched or sorted as a whole, so many are looked at. */
const mostExamined = 5000

export interface FoundFindings {
  readonly shown: readonly FindingView[]
  /** How many match, as far as they were looked at. */
  readonly matching: number
  /** Set when only so many were looked at for the text or the order asked for. */
  readonly lookedAt: number | null
  /** All in the states asked for, before any other filter. */
  readonly total: number
}

export interface LoadFindings {
  readonly posture: TenantPosture
  readonly query: PageQuery
  readonly findings: WebSources['findings']
  readonly exposeDetails: boolean
  readonly most: number
}

/**
 * The findings that the page shows of a tenant. Of a million only as many are read as are shown, the gravest or oldest
 * first; a text is looked for, and other orders are made, among the first 5,000. Hidden details cannot be searched.
 */
export async function loadFindings(request: LoadFindings): Promise<FoundFindings> {
  const { posture, query, exposeDetails, most } = request
  const total = counted(posture, { ...query, severities: null, check: null })
  const matching = counted(posture, query)
  const inOrder = comesInOrder(query)
  const kept: FindingView[] = []
  let examined = 0
  for await (const finding of candidates(request)) {
    if (examined === mostExamined || (query.text === '' && inOrder && kept.length === most)) break
    examined += 1
    const shown = exposeDetails ? finding : withoutDetails(finding)
    if (query.text === '' || hasText(shown, query.text.toLowerCase())) kept.push(shown)
  }
  if (!inOrder) kept.sort(comparisons[query.sort])
  if (!inOrder && query.reversed) kept.reverse()
  const isPartial = examined === mostExamined && (query.text !== '' || !inOrder)
  return {
    shown: kept.slice(0, most),
    matching: query.text === '' ? Math.max(matching, kept.length) : kept.length,
    lookedAt: isPartial ? mostExamined : null,
    total,
  }
}

function hasText({ message, entity, check, fingerprint, evidence }: FindingView, text: string): boolean {
  const words = [message, entity.id, entity.type, check, fingerprint, JSON.stringify(evidence)]
  return words.some((word) => word.toLowerCase().includes(text))
}

const comparisons: Readonly<Record<SortKey, (a: FindingView, b: FindingView) => number>> = {
  severity: (a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity),
  entity: (a, b) => compare(a.entity.id, b.entity.id),
  check: (a, b) => compare(a.check, b.check),
  age: (a, b) => compare(a.firstSeen, b.firstSeen),
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

/** True when the candidates come in the order asked for, so that no more than are shown need be read. */
function comesInOrder({ sort, reversed }: PageQuery): boolean {
  return sort === 'severity' || (sort === 'age' && !reversed)
}

/** Severity by severity, and only of checks that have such findings; by age as they are stored. */
async function* candidates({ posture, query, findings }: LoadFindings): AsyncGenerator<FindingView> {
  const checks = posture.checks.filter(({ check }) => query.check === null || check === query.check)
  const wanted = query.severities ?? severities
  const states = statesOf(query)
  if (query.sort === 'age' && !query.reversed) {
    const all: FindingQuery = { tenant: posture.tenant, severities: wanted, states }
    for await (const batch of findings(query.check === null ? all : { ...all, check: query.check })) yield* batch
    return
  }
  const order = query.sort === 'severity' && query.reversed ? wanted : wanted.toReversed()
  for (const severity of order) {
    for (const view of checks) {
      if (countOf(view, severity, query) === 0) continue
      const part: FindingQuery = { tenant: posture.tenant, check: view.check, severities: [severity], states }
      for await (const batch of findings(part)) yield* batch
    }
  }
}

function statesOf({ state }: PageQuery): readonly FindingView['state'][] {
  return state === 'all' ? ['open', 'waived'] : [state]
}

function countOf({ open, waived }: CheckView, severity: Severity, { state }: PageQuery): number {
  return (state === 'waived' ? 0 : (open[severity] ?? 0)) + (state === 'open' ? 0 : (waived[severity] ?? 0))
}

/** How many findings the filter lets through, a text aside, as the checks count them. */
export function counted(posture: TenantPosture, query: PageQuery): number {
  let sum = 0
  for (const view of posture.checks) {
    if (query.check !== null && view.check !== query.check) continue
    for (const severity of query.severities ?? severities) sum += countOf(view, severity, query)
  }
  return sum
}
