import type { FindingView } from '../../model/finding.ts'
import type { TenantPosture } from '../../model/posture.ts'
import { withoutDetails } from '../../model/redact-finding.ts'
import { severities } from '../../model/severity.ts'
import type { SecretView, WebOptions } from '../web-options.ts'

const mostFindings = 500
const mostSecrets = 50

export interface TenantPage {
  readonly posture: TenantPosture
  /** The gravest open findings, at most 500. */
  readonly findings: readonly FindingView[]
  /** Those that expire first, at most 50. */
  readonly secrets: readonly SecretView[]
  readonly secretsTotal: number
}

export interface PageData {
  readonly version: string
  readonly now: number
  readonly exposeDetails: boolean
  readonly tenants: readonly TenantPage[]
}

/** Reads what the status page shows; of a million findings only the rows it shows are read. */
export async function loadPage({ sources, now, version }: WebOptions, exposeDetails: boolean): Promise<PageData> {
  const tenants: TenantPage[] = []
  for (const posture of await sources.posture()) {
    const secrets = await sources.secrets(posture.tenant)
    const findings = await gravestFindings(posture, sources)
    tenants.push({
      posture,
      findings: exposeDetails ? findings : findings.map(withoutDetails),
      secrets: secrets.slice(0, mostSecrets),
      secretsTotal: secrets.length,
    })
  }
  return { version, now: now(), exposeDetails, tenants }
}

/** Asks severity by severity, and only for checks that have such findings, until there are enough. */
async function gravestFindings(
  posture: TenantPosture,
  sources: WebOptions['sources'],
): Promise<readonly FindingView[]> {
  const found: FindingView[] = []
  for (const severity of severities.toReversed()) {
    for (const { check, open } of posture.checks) {
      if ((open[severity] ?? 0) === 0) continue
      const query = { tenant: posture.tenant, check, severities: [severity], states: ['open'] } as const
      for await (const batch of sources.findings(query)) {
        found.push(...batch.slice(0, mostFindings - found.length))
        if (found.length >= mostFindings) return found
      }
    }
  }
  return found
}
