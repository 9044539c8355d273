import { type ChangeView, withoutChangeDetails } from '../../model/change.ts'
import { type SecretView, withoutSecretDetails } from '../../model/expiry.ts'
import type { TenantPosture } from '../../model/posture.ts'
import { shownPostures } from '../../model/posture-state.ts'
import type { WebOptions } from '../web-options.ts'
import { type FoundFindings, loadFindings } from './load-findings.ts'
import { type PageQuery, wholePage } from './page-query.ts'

/** With more tenants, each is only shown on its own page. */
const maxInFull = 10
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
  const now = clock.now()
  const load = async (posture: TenantPosture): Promise<TenantPage> => {
    const changes = await sources.changes(posture.tenant, maxChanges, exposeDetails)
    const secrets = await sources.secrets(posture.tenant)
    return {
      posture,
      findings: await loadFindings({ posture, query, findings: sources.findings, exposeDetails, now }),
      secrets: exposeDetails ? secrets : secrets.map(withoutSecretDetails),
      changes: exposeDetails ? changes : changes.map(withoutChangeDetails),
      exposeDetails,
      configFile,
    }
  }
  const tenants = postures.length <= maxInFull ? postures : []
  const hasOthers = query.tenant !== null && sources.names().tenants.length > 1
  return { version, now, exposeDetails, query, hasOthers, postures, tenants, load }
}
