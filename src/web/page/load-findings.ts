import type { FindingView } from '../../model/finding.ts'
import type { CheckView, TenantPosture } from '../../model/posture.ts'
import { type Severity, severities } from '../../model/severity.ts'
import { withoutDetails } from '../../model/text/redact-finding.ts'
import type { FindingQuery, WebSources } from '../web-options.ts'
import type { PageQuery } from './page-query.ts'

/** Of findings that must be sorted as a whole, so many are sorted. */
const mostSorted = 5000

/** What stands in the place of a hidden detail has this in it. */
const hiddenWord = '"[hidden]"'

export interface FoundFindings {
  readonly shown: readonly FindingView[]
  /** How many match, of all. */
  readonly matching: number
  /** Set when only so many of them were sorted. */
  readonly sorted: number | null
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
 * The findings that the page shows of a tenant. Without a text only as many of a million are read as are shown. A
 * text is searched in all of them. By entity the first 5,000 are sorted. Hidden details cannot be searched.
 */
export async function loadFindings(request: LoadFindings): Promise<FoundFindings> {
  const { posture, query, exposeDetails, most } = request
  const total = counted(posture, { ...query, severities: null, check: null })
  const matching = counted(posture, query)
  const inOrder = comesInOrder(query)
  const kept: FindingView[] = []
  const mostKept = inOrder ? most : mostSorted
  let found = 0
  for await (const finding of candidates(request)) {
    if (query.text === '' && kept.length === mostKept) break
    const shown = exposeDetails ? finding : withoutDetails(finding)
    if (query.text !== '' && !hasText(shown, query.text.toLowerCase())) continue
    found++
    if (kept.length < mostKept) kept.push(shown)
  }
  const all = query.text === '' ? Math.max(matching, found) : found
  if (!inOrder) kept.sort(byEntity)
  if (!inOrder && query.reversed) kept.reverse()
  return { shown: kept.slice(0, most), matching: all, sorted: !inOrder && all > mostSorted ? mostSorted : null, total }
}

function hasText({ message, entity, check, fingerprint, evidence }: FindingView, text: string): boolean {
  const words = [message, entity.id, entity.type, check, fingerprint, JSON.stringify(evidence)]
  return words.some((word) => word.toLowerCase().includes(text))
}

function byEntity(a: FindingView, b: FindingView): number {
  return a.entity.id.localeCompare(b.entity.id, 'en', { numeric: true })
}

/** True when the candidates come in the order asked for, so that no more than are shown need be kept. */
function comesInOrder({ sort }: PageQuery): boolean {
  return sort !== 'entity'
}

/** By age as they are stored, by check each check as a whole, else severity by severity. */
async function* candidates({ posture, query, findings, exposeDetails }: LoadFindings): AsyncGenerator<FindingView> {
  const checks = posture.checks.filter(({ check }) => query.check === null || check === query.check)
  const wanted = query.severities ?? severities
  // The store searches what is hidden here, too: only a part of the word that stands in its place must not be left out.
  const isSearched = query.text !== '' && (exposeDetails || !hiddenWord.includes(query.text.toLowerCase()))
  const all: FindingQuery = {
    tenant: posture.tenant,
    severities: wanted,
    states: statesOf(query),
    ...(isSearched && { text: query.text }),
  }
  if (query.sort === 'age') {
    const ordered = query.reversed ? { ...all, newestFirst: true } : all
    for await (const batch of findings(query.check === null ? ordered : { ...ordered, check: query.check }))
      yield* batch
    return
  }
  if (query.sort === 'check') {
    const named = checks.toSorted((a, b) => (a.check < b.check ? -1 : 1))
    for (const { check } of query.reversed ? named.toReversed() : named) {
      for await (const batch of findings({ ...all, check })) yield* batch
    }
    return
  }
  const order = query.sort === 'severity' && query.reversed ? wanted : wanted.toReversed()
  for (const severity of order) {
    for (const view of checks) {
      if (countOf(view, severity, query) === 0) continue
      const part: FindingQuery = { ...all, check: view.check, severities: [severity] }
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
