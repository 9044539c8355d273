import { type ChangeView, withoutChangeDetails } from '../../model/change.ts'
import type { SecretView } from '../../model/client-secret.ts'
import type { TenantPosture } from '../../model/posture.ts'
import { shownPostures } from '../shown-postures.ts'
import type { WebOptions } from '../web-options.ts'
import { type FoundFindings, loadFindings } from './load-findings.ts'
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
  /** The tenants of the query. */
  readonly postures: readonly TenantPosture[]
  /** Tenants shown in full: all, or none when there are too many. */
  readonly tenants: readonly TenantPosture[]
  /** Loads the details of one of `tenants`, just before it is rendered. */
  readonly load: (posture: TenantPosture) => Promise<TenantPage>
}

/**
 * Loads the posture of each tenant of the status page; the details of a tenant are loaded when it is rendered.
 */
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
