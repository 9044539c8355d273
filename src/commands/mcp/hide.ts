import { type Expiry, withoutSecretDetails } from '../../model/expiry.ts'
import { plainId } from '../../model/text/printable.ts'
import { hidden, hiddenValue, withoutEmailsIn, withoutWaiverDetails } from '../../model/text/redact.ts'
import type { TenantReport } from '../../report/build-report.ts'
import type { Explanation } from '../../report/explanation.ts'
import { withoutDetails } from '../../resources/redact-finding.ts'
import type { Change } from '../history.ts'

// As on the status page (docs/first-week.md#access). Commands of an operator show more: who decided and why.

export function hideExpiry(expiry: Expiry): Expiry {
  return expiry.kind === 'secret' ? withoutSecretDetails(expiry) : withoutWaiverDetails(expiry)
}

export function hideChange(change: Change): unknown {
  const entity = change.entity === '*' || plainId.test(change.entity) ? change.entity : hidden
  return withoutEmailsIn({ ...hideDecision(change), entity })
}

export function hideTenant(report: Omit<TenantReport, 'findings' | 'frameworks' | 'trend'>): unknown {
  const waivers = report.waivers.map(withoutWaiverDetails)
  return withoutEmailsIn({ ...report, waivers, decisions: report.decisions.map(hideDecision) })
}

/** Without earlier messages and evidence: of own checks they may be any text. */
export function hideExplanation({ finding, life, accepted, waivers, ...rest }: Explanation): unknown {
  return withoutEmailsIn({
    ...rest,
    finding: withoutDetails(finding),
    accepted: accepted.map(hideDecision),
    waivers: waivers.map(({ changes: _, owner, ...waiver }) => ({ ...waiver, owner: hiddenValue(owner) })),
    life: life.map(({ at, event, severity, resolution }) => ({ at, event, severity, resolution })),
  })
}

function hideDecision<T extends { readonly reason: string | null; readonly by: string | null }>(decision: T) {
  return { ...decision, reason: hiddenValue(decision.reason), by: hiddenValue(decision.by) }
}
