import { toIso } from '../model/dates.ts'
import { identitySentences, type ResourceView, type TenantPosture } from '../model/posture.ts'
import { dataQualityOf, resourceState } from './data-quality.ts'
import { tally } from './tally.ts'

/** The body of `/api/v1/status`: times are ISO 8601 in UTC, null for never; durations are seconds. */
export function statusJson(version: string, now: number, postures: readonly TenantPosture[]): object {
  return { version, at: toIso(now), tenants: postures.map(tenantJson) }
}

function tenantJson(posture: TenantPosture): object {
  const { checks, open, openTotal, waivedTotal } = tally(posture)
  return {
    tenant: posture.tenant,
    at: toIso(posture.at),
    quality: dataQualityOf(posture).level,
    identity: posture.identity,
    identityMessage: identitySentences[posture.identity],
    clockSkewSeconds: posture.clockSkewMs === null ? null : posture.clockSkewMs / 1000,
    blockedUntil: posture.blockedUntil > posture.at ? toIso(posture.blockedUntil) : null,
    holds: posture.holds.map((hold) => ({ ...hold, raisedAt: toIso(hold.raisedAt) })),
    resources: posture.resources.map((view) => resourceJson(view, posture)),
    checks,
    findings: { open, openTotal, waivedTotal },
  }
}

function resourceJson(view: ResourceView, posture: TenantPosture): object {
  const { resource, enabled, live, quarantined, missing, fresh, message } = view
  return {
    resource,
    enabled,
    state: enabled ? resourceState(view, posture.holds) : 'off',
    live,
    quarantined,
    missing,
    dataAsOf: isoOrNull(view.dataAsOf),
    fresh,
    freshnessLimitSeconds: view.freshnessLimitMs / 1000,
    message,
    modes: view.modes.map(({ mode, up, reason, ...times }) => ({
      mode,
      up,
      reason,
      lastAttemptAt: isoOrNull(times.lastAttemptAt),
      lastSuccessAt: isoOrNull(times.lastSuccessAt),
      freshnessLimitSeconds: times.freshnessLimitMs / 1000,
    })),
  }
}

/** The body of `/api/v1/checks`: every check of every tenant with its current status. */
export function checksJson(postures: readonly TenantPosture[]): readonly object[] {
  return postures.flatMap(({ tenant, checks }) =>
    checks.map(({ evaluatedAt, since, ...check }) => ({
      tenant,
      ...check,
      evaluatedAt: isoOrNull(evaluatedAt),
      since: isoOrNull(since),
    })),
  )
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms)
}
