import type { Description } from '../../model/describe.ts'
import { type SecretView, withoutSecretDetails } from '../../model/expiry.ts'
import { type FindingView, findingStates } from '../../model/finding.ts'
import type { TenantPosture } from '../../model/posture.ts'
import { shownPostures } from '../../model/posture-state.ts'
import { dayMs } from '../../model/time.ts'
import type { Trend } from '../../model/trend.ts'
import { withoutChangeDetails } from '../../store/records/record-shape.ts'
import { firstFindings, type ShownQuery } from '../shown-findings.ts'
import type { PageSync } from '../sync-route.ts'
import type { ChangeView, WebOptions, WebSources } from '../web-options.ts'
import { isFiltered, type PageQuery } from './page-query.ts'

/** With more tenants, each is only shown on its own page. */
const maxInFull = 10
const maxChanges = 20
/** Findings on a page of a filtered list, in all groups by check, and new ones that are counted. */
export const most = { list: 50, grouped: 250, recent: 50 }

export interface FoundFindings {
  /** What a filter selects, the newest first; without one the first open findings, the highest severity first. */
  readonly list: readonly FindingView[]
  readonly hasMore: boolean
  /** Findings that were opened within a day, the newest first. */
  readonly recent: readonly FindingView[]
}

/** What the page and each tenant on it are shown with. */
interface Shown {
  readonly now: number
  readonly exposeDetails: boolean
  readonly query: PageQuery
}

export interface TenantPage extends Shown {
  readonly posture: TenantPosture
  readonly findings: FoundFindings
  /** The next to expire first. */
  readonly secrets: readonly SecretView[]
  /** Newest first. */
  readonly changes: readonly ChangeView[]
  /** Null for a tenant without history, and on a page of filtered findings. */
  readonly trend: Trend | null
  /** Names of all configured owners. */
  readonly owners: readonly string[]
  readonly evaluates: WebSources['evaluates']
  readonly sync: PageSync | null
}

export interface PageData extends Shown {
  /** True if there are tenants that are not on this page. */
  readonly hasOthers: boolean
  readonly postures: readonly TenantPosture[]
  /** Tenants shown in full: all, or none if there are too many. */
  readonly tenants: readonly TenantPosture[]
  readonly problems: readonly Description[]
  readonly load: (posture: TenantPosture) => Promise<TenantPage>
}

/** The details of a tenant are loaded when it is rendered. */
export async function loadPage(
  options: WebOptions,
  exposeDetails: boolean,
  query: PageQuery = {},
  sync: PageSync | null = null,
): Promise<PageData> {
  const { sources, clock } = options
  const postures = shownPostures(await sources.posture(query.tenant), exposeDetails)
  const shown: Shown = { now: clock.now(), exposeDetails, query }
  const load = async (posture: TenantPosture): Promise<TenantPage> => {
    const { tenant } = posture
    const first = (count: number, wanted: ShownQuery) =>
      firstFindings(count, sources.findings, { tenant, descending: true, ...wanted }, exposeDetails)
    const changes = await sources.changes(tenant, maxChanges, exposeDetails)
    const secrets = await sources.secrets(tenant)
    return {
      ...shown,
      posture,
      findings: isFiltered(query) ? await loadList(first, query) : await loadGroups(first, shown.now),
      secrets: exposeDetails ? secrets : secrets.map(withoutSecretDetails),
      changes: exposeDetails ? changes : changes.map((one) => ({ ...withoutChangeDetails(one), names: [] })),
      trend: isFiltered(query) ? null : await sources.trend(posture.tenant),
      owners: sources.names().owners,
      evaluates: sources.evaluates,
      sync,
    }
  }
  const tenants = postures.length <= maxInFull ? postures : []
  const hasOthers = query.tenant !== undefined && sources.names().tenants.length > 1
  const problems = await sources.problems()
  return { ...shown, hasOthers, postures, tenants, problems, load }
}

type First = (count: number, wanted: ShownQuery) => Promise<readonly FindingView[]>

async function loadGroups(first: First, now: number): Promise<FoundFindings> {
  const list = await first(most.grouped, { order: 'severity' })
  const newest = list.length < most.grouped ? list : await first(most.recent, {})
  const recent = newest.filter(({ firstSeen }) => Date.parse(firstSeen) >= now - dayMs)
  return { list, hasMore: false, recent: recent.slice(0, most.recent) }
}

async function loadList(first: First, query: PageQuery): Promise<FoundFindings> {
  const { check, owner, q, after, state = 'open', severity } = query
  const filter: ShownQuery = { text: q, check, owner, severities: severity, after }
  const found = await first(most.list + 1, {
    ...filter,
    states: state === 'all' ? findingStates : [state],
  })
  // The place is gone: the list begins again, because an empty page would look like "nothing found".
  if (found.length === 0 && after !== undefined) return loadList(first, { ...query, after: undefined })
  return { list: found.slice(0, most.list), hasMore: found.length > most.list, recent: [] }
}
