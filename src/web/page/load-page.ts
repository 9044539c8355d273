import { type ChangeView, withoutChangeDetails } from '../../model/change.ts'
import { type SecretView, withoutSecretDetails } from '../../model/client-secret.ts'
import type { FindingView } from '../../model/finding.ts'
import type { CheckView, TenantPosture } from '../../model/posture.ts'
import { shownPostures } from '../../model/posture-state.ts'
import { type Severity, severities } from '../../model/severity.ts'
import { shownFindings } from '../shown-findings.ts'
import type { FindingQuery, WebOptions, WebSources } from '../web-options.ts'
import { type PageQuery, wholePage } from './page-query.ts'

/** With more tenants, each is only shown on its own page. */
const maxInFull = 10
/** Most findings of all tenants together, but at least `minFindings` of each. */
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
  readonly exposeDetails: boolean
  readonly configFile: string | undefined
}

export interface PageData {
  readonly version: string
  readonly now: number
  readonly exposeDetails: boolean
  readonly query: PageQuery
  /** True if there are tenants that are not on this page. */
  readonly hasOthers: boolean
  readonly postures: readonly TenantPosture[]
  /** Tenants shown in full: all, or none if there are too many. */
  readonly tenants: readonly TenantPosture[]
  readonly load: (posture: TenantPosture) => Promise<TenantPage>
}

/** The details of a tenant are loaded when it is rendered. */
export async function loadPage(
  { sources, clock, version, configFile }: WebOptions,
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
    const changes = await sources.changes(posture.tenant, maxChanges, exposeDetails)
    const secrets = await sources.secrets(posture.tenant)
    return {
      posture,
      findings: await loadFindings({ posture, query, findings: sources.findings, exposeDetails, most }),
      secrets: exposeDetails ? secrets : secrets.map(withoutSecretDetails),
      changes: exposeDetails ? changes : changes.map(withoutChangeDetails),
      exposeDetails,
      configFile,
    }
  }
  const hasOthers = query.tenant !== null && sources.names().tenants.length > 1
  return { version, now: clock.now(), exposeDetails, query, hasOthers, postures, tenants: inFull, load }
}

export interface FoundFindings {
  readonly shown: readonly FindingView[]
  readonly matching: number
  readonly total: number
  /** Matches of the search text by severity, regardless of the wanted severities; null without a search text. */
  readonly bySeverity: Readonly<Record<Severity, number>> | null
  /** Fingerprint after which the shown findings begin; null = the start of the list. */
  readonly after: string | null
  readonly hasMore: boolean
}

export interface LoadFindings {
  readonly posture: TenantPosture
  readonly query: PageQuery
  readonly findings: WebSources['findings']
  readonly exposeDetails: boolean
  readonly most: number
}

/** Without a search text, reads only the shown rows; with one, all rows but those of checks whose name contains it. */
export async function loadFindings(request: LoadFindings): Promise<FoundFindings> {
  const { posture, query, most } = request
  const start = await startOf(request)
  const total = counted(posture, { ...query, severities: null, check: null })
  const matching = counted(posture, query)
  const isSearch = query.text !== ''
  const maxKept = most + 1
  const bySeverity = { info: 0, low: 0, medium: 0, high: 0, critical: 0 }
  const isWanted = (severity: Severity) => query.severities?.includes(severity) !== false
  const parts = partsOf(posture, isSearch ? { ...query, severities: null } : query)
  const first = start === null ? -1 : parts.findIndex((part) => isOf(part, start))
  // A search counts all matches, so it begins at the first one. If the finding at `after` no longer matches, the list
  // starts at its beginning.
  let kept: FindingView[] = []
  let isReached = !isSearch
  for (const [i, part] of parts.entries()) {
    const isFull = () => kept.length === maxKept && (isReached || i !== first)
    if (!isSearch && (i < first || isFull())) continue
    const named = isSearch ? countsByName(part, posture, query) : null
    for (const [severity, count] of named ?? []) bySeverity[severity] += count
    // If the counts are known, or without a search text, only the shown rows are read.
    const onlyShown = named !== null || !isSearch
    const of = (part.severities ?? severities).filter((severity) => !onlyShown || isWanted(severity))
    if (of.length === 0) continue
    const place = !isSearch && i === first && start !== null ? { after: start.fingerprint } : {}
    for await (const finding of findingsOf(request, { ...part, severities: of, ...place })) {
      if (onlyShown && isFull()) break
      if (named === null) bySeverity[finding.severity]++
      if (!isWanted(finding.severity)) continue
      if (kept.length < maxKept) kept.push(finding)
      if (finding.fingerprint === start?.fingerprint) [kept, isReached] = [[], true]
    }
  }
  if (kept.length === 0 && query.after !== null) return loadFindings({ ...request, query: { ...query, after: null } })
  const found = (query.severities ?? severities).reduce((sum, severity) => sum + bySeverity[severity], 0)
  return {
    shown: kept.slice(0, most),
    matching: isSearch ? found : Math.max(matching, found),
    total,
    bySeverity: isSearch ? bySeverity : null,
    after: isReached ? (start?.fingerprint ?? null) : null,
    hasMore: kept.length > most,
  }
}

/** The finding after which the list begins; null if it is not in the list. */
async function startOf({ posture, query, findings }: LoadFindings): Promise<FindingView | null> {
  const { after } = query
  if (after === null) return null
  const states = ['open', 'waived', 'resolved'] as const
  for await (const [finding] of findings({ tenant: posture.tenant, fingerprints: [after], states })) {
    if (finding === undefined) continue
    return partsOf(posture, query).some((part) => isOf(part, finding)) ? finding : null
  }
  return null
}

/** Counts of a part whose check name contains the text, so that all its findings match; else null. */
function countsByName({ check, severities: of = severities }: Part, posture: TenantPosture, query: PageQuery) {
  if (check?.includes(query.text.toLowerCase()) !== true) return null
  return of.map((severity) => [severity, counted(posture, { ...query, check, severities: [severity] })] as const)
}

async function* findingsOf(
  { posture, query, findings, exposeDetails }: LoadFindings,
  part: Pick<FindingQuery, 'check' | 'severities' | 'after'>,
): AsyncGenerator<FindingView> {
  const wanted: FindingQuery & { readonly text: string } = {
    tenant: posture.tenant,
    states: statesOf(query),
    text: query.text,
    ...(query.sort === 'entity' && { order: 'entity' as const }),
    descending: query.reversed && (query.sort === 'age' || query.sort === 'entity'),
    ...part,
  }
  for await (const batch of shownFindings(findings, wanted, exposeDetails)) yield* batch
}

type Part = Pick<FindingQuery, 'check' | 'severities'>

function isOf({ check, severities: of }: Part, finding: FindingView): boolean {
  return (check === undefined || check === finding.check) && (of === undefined || of.includes(finding.severity))
}

/** Consecutive parts of the list, each in the order of the query. */
function partsOf({ checks }: TenantPosture, query: PageQuery): readonly Part[] {
  const { sort, reversed } = query
  const wanted = checks.filter(({ check }) => query.check === null || check === query.check)
  if (sort === 'age' || sort === 'entity') return [query.check === null ? {} : { check: query.check }]
  if (sort === 'check') {
    const names = wanted.map(({ check }) => check).toSorted()
    return (reversed ? names.reverse() : names).map((check) => ({ check }))
  }
  const rising = query.severities ?? severities
  const order = sort === 'severity' && reversed ? rising : rising.toReversed()
  return order.flatMap((severity) =>
    wanted.filter((view) => countOf(view, severity, query) > 0).map(({ check }) => ({ check, severities: [severity] })),
  )
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
