import { type ChangeView, withoutChangeDetails } from '../../model/change.ts'
import type { SecretView } from '../../model/client-secret.ts'
import type { FindingView } from '../../model/finding.ts'
import type { CheckView, TenantPosture } from '../../model/posture.ts'
import { type Severity, severities } from '../../model/severity.ts'
import { shownPostures } from '../postures.ts'
import { shownFindings } from '../shown-findings.ts'
import type { FindingQuery, WebOptions, WebSources } from '../web-options.ts'
import { type PageQuery, wholePage } from './page-query.ts'

/** With more tenants, each is shown on a page of its own. */
const maxInFull = 10
/** Findings of all tenants together, but at least `minFindings` of each. */
const maxFindings = { short: 50, long: 400 }
const minFindings = 20
const maxChanges = 20

export interface TenantPage {
  readonly posture: TenantPosture
  readonly findings: FoundFindings
  /** The next to expire first. */
  readonly secrets: readonly SecretView[]
  /** Newest first. */
  readonly changes: readonly ChangeView[]
}

export interface PageData {
  readonly version: string
  readonly now: number
  readonly exposeDetails: boolean
  readonly query: PageQuery
  readonly postures: readonly TenantPosture[]
  /** Tenants shown in full: all, or none when there are too many. */
  readonly tenants: readonly TenantPosture[]
  readonly load: (posture: TenantPosture) => Promise<TenantPage>
}

/** The details of a tenant are loaded when it is rendered. */
export async function loadPage(
  { sources, clock, version }: WebOptions,
  exposeDetails: boolean,
  query: PageQuery = wholePage,
): Promise<PageData> {
  const postures = shownPostures(await sources.posture(query.tenant ?? undefined), exposeDetails)
  const inFull = postures.length <= maxInFull ? postures : []
  const most = Math.max(
    minFindings,
    Math.floor(maxFindings[query.long ? 'long' : 'short'] / Math.max(1, inFull.length)),
  )
  const load = async (posture: TenantPosture): Promise<TenantPage> => {
    const changes = await sources.changes(posture.tenant, maxChanges)
    return {
      posture,
      findings: await loadFindings({ posture, query, findings: sources.findings, exposeDetails, most }),
      secrets: await sources.secrets(posture.tenant),
      changes: exposeDetails ? changes : changes.map(withoutChangeDetails),
    }
  }
  return { version, now: clock.now(), exposeDetails, query, postures, tenants: inFull, load }
}

/** Limit of findings that are sorted in memory. */
const maxSorted = 5000

export interface FoundFindings {
  readonly shown: readonly FindingView[]
  readonly matching: number
  /** Set to the number of sorted findings when not all were sorted. */
  readonly sorted: number | null
  readonly total: number
}

export interface LoadFindings {
  readonly posture: TenantPosture
  readonly query: PageQuery
  readonly findings: WebSources['findings']
  readonly exposeDetails: boolean
  readonly most: number
}

/** Without a search text only the shown rows are read. Sorting by entity sorts the first 5,000. */
export async function loadFindings(request: LoadFindings): Promise<FoundFindings> {
  const { posture, query, most } = request
  const total = counted(posture, { ...query, severities: null, check: null })
  const matching = counted(posture, query)
  const inOrder = comesInOrder(query)
  const kept: FindingView[] = []
  const maxKept = inOrder ? most : maxSorted
  let found = 0
  for await (const finding of candidates(request)) {
    if (query.text === '' && kept.length === maxKept) break
    found++
    if (kept.length < maxKept) kept.push(finding)
  }
  const all = query.text === '' ? Math.max(matching, found) : found
  if (!inOrder) kept.sort(byEntity)
  if (!inOrder && query.reversed) kept.reverse()
  return { shown: kept.slice(0, most), matching: all, sorted: !inOrder && all > maxSorted ? maxSorted : null, total }
}

function byEntity(a: FindingView, b: FindingView): number {
  return a.entity.id.localeCompare(b.entity.id, 'en', { numeric: true })
}

/** True when the candidates come in the wanted order, so that only the shown ones are kept in memory. */
function comesInOrder({ sort }: PageQuery): boolean {
  return sort !== 'entity'
}

/** Yields findings in stored order (by age), check by check, or severity by severity. */
async function* candidates({ posture, query, findings, exposeDetails }: LoadFindings): AsyncGenerator<FindingView> {
  const checks = posture.checks.filter(({ check }) => query.check === null || check === query.check)
  const wanted = query.severities ?? severities
  const all: FindingQuery = {
    tenant: posture.tenant,
    severities: wanted,
    states: statesOf(query),
    text: query.text,
  }
  const read = (part: FindingQuery) => shownFindings(findings, part, exposeDetails)
  if (query.sort === 'age') {
    const ordered = query.reversed ? { ...all, newestFirst: true } : all
    for await (const batch of read(query.check === null ? ordered : { ...ordered, check: query.check })) yield* batch
    return
  }
  if (query.sort === 'check') {
    const named = checks.toSorted((a, b) => (a.check < b.check ? -1 : 1))
    for (const { check } of query.reversed ? named.toReversed() : named) {
      for await (const batch of read({ ...all, check })) yield* batch
    }
    return
  }
  const order = query.sort === 'severity' && query.reversed ? wanted : wanted.toReversed()
  for (const severity of order) {
    for (const view of checks) {
      if (countOf(view, severity, query) === 0) continue
      const part: FindingQuery = { ...all, check: view.check, severities: [severity] }
      for await (const batch of read(part)) yield* batch
    }
  }
}

function statesOf({ state }: PageQuery): readonly FindingView['state'][] {
  return state === 'all' ? ['open', 'waived'] : [state]
}

function countOf({ open, waived }: CheckView, severity: Severity, { state }: PageQuery): number {
  return (state === 'waived' ? 0 : (open[severity] ?? 0)) + (state === 'open' ? 0 : (waived[severity] ?? 0))
}

/** Number of findings that match the query, ignoring its text, from the counts of the checks. */
export function counted(posture: TenantPosture, query: PageQuery): number {
  let sum = 0
  for (const view of posture.checks) {
    if (query.check !== null && view.check !== query.check) continue
    for (const severity of query.severities ?? severities) sum += countOf(view, severity, query)
  }
  return sum
}
