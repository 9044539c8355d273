import { type ChangeView, withoutChangeDetails } from '../../model/change.ts'
import type { SecretView } from '../../model/client-secret.ts'
import type { TenantPosture } from '../../model/posture.ts'
import { shownPostures } from '../shown-postures.ts'
import type { WebOptions } from '../web-options.ts'
import { type FoundFindings, loadFindings } from './load-findings.ts'
import { type PageQuery, wholePage } from './page-query.ts'

/** Of more tenants than these only one is shown in full. */
const mostInFull = 10
/** Findings of all tenants together, as long as each has a few. */
const mostFindings = { short: 50, long: 400 }
const leastFindings = 20
const mostChanges = 20

export interface TenantPage {
  readonly posture: TenantPosture
  readonly findings: FoundFindings
  /** The one that expires first in front. */
  readonly secrets: readonly SecretView[]
  /** Newest first. */
  readonly changes: readonly ChangeView[]
}

export interface PageData {
  readonly version: string
  readonly now: number
  readonly exposeDetails: boolean
  readonly query: PageQuery
  /** Every tenant that was asked for. */
  readonly postures: readonly TenantPosture[]
  /** Those of them that are shown in full: all, or none when they are too many. */
  readonly tenants: readonly TenantPosture[]
  /** Reads the rest of one of `tenants` when its turn to be rendered comes. */
  readonly load: (posture: TenantPosture) => Promise<TenantPage>
}

/**
 * Reads what the status page shows of every tenant; the rest of each when it is rendered. Of a million findings only the
 * rows it shows are read.
 */
export async function loadPage(
  { sources, clock, version }: WebOptions,
  exposeDetails: boolean,
  query: PageQuery = wholePage,
): Promise<PageData> {
  const postures = shownPostures(await sources.posture(query.tenant ?? undefined), exposeDetails)
  const inFull = postures.length <= mostInFull ? postures : []
  const most = Math.max(
    leastFindings,
    Math.floor(mostFindings[query.long ? 'long' : 'short'] / Math.max(1, inFull.length)),
  )
  const load = async (posture: TenantPosture): Promise<TenantPage> => {
    const changes = await sources.changes(posture.tenant, mostChanges)
    return {
      posture,
      findings: await loadFindings({ posture, query, findings: sources.findings, exposeDetails, most }),
      secrets: await sources.secrets(posture.tenant),
      changes: exposeDetails ? changes : changes.map(withoutChangeDetails),
    }
  }
  return { version, now: clock.now(), exposeDetails, query, postures, tenants: inFull, load }
}
