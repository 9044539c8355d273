import type { CheckStatus } from '../model/check-status.ts'
import type { TenantPosture } from '../model/posture.ts'
import { type Severity, severities } from '../model/severity.ts'

export interface Tally {
  /** Enabled checks by status. */
  readonly checks: Readonly<Record<CheckStatus, number>>
  readonly open: Readonly<Record<Severity, number>>
  readonly openTotal: number
  readonly waivedTotal: number
}

/** Adds up a tenant's checks and findings. */
export function tally(posture: TenantPosture): Tally {
  const checks = { fail: 0, not_applicable: 0, pass: 0, unknown: 0 }
  const open = { info: 0, low: 0, medium: 0, high: 0, critical: 0 }
  let waivedTotal = 0
  for (const check of posture.checks) {
    if (check.enabled) checks[check.status] += 1
    for (const severity of severities) {
      open[severity] += check.open[severity] ?? 0
      waivedTotal += check.waived[severity] ?? 0
    }
  }
  return { checks, open, openTotal: severities.reduce((sum, severity) => sum + open[severity], 0), waivedTotal }
}
