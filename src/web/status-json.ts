import {
  type CheckView,
  identitySentence,
  type OwnerView,
  type ResourceView,
  type TenantPosture,
} from '../model/posture.ts'
import { dataQualityOf, presentStatus, resourceState, tally, unknownReason } from '../model/posture-state.ts'
import { version } from '../model/process/version.ts'
import { isoOrNull, toIso } from '../model/time.ts'

/** The body of `/api/v1/status`: times are ISO 8601 in UTC, null for never; durations are seconds. */
export function statusJson(now: number, postures: readonly TenantPosture[]): object {
  return { version, at: toIso(now), tenants: postures.map(tenantJson) }
}

function tenantJson(posture: TenantPosture): object {
  const { checks, open, openTotal, waivedTotal } = tally(posture)
  return {
    tenant: posture.tenant,
    at: toIso(posture.at),
    quality: dataQualityOf(posture).level,
    identity: posture.identity,
    identityMessage: identitySentence(posture),
    clockSkewSeconds: posture.clockSkewMs === null ? null : posture.clockSkewMs / 1000,
    blockedUntil: posture.blockedUntil > posture.at ? toIso(posture.blockedUntil) : null,
    holds: posture.holds.map((hold) => ({ ...hold, raisedAt: toIso(hold.raisedAt) })),
    resources: posture.resources.map((view) => resourceJson(view, posture)),
    checks,
    findings: { open, openTotal, waivedTotal },
    ...(posture.owner && { owner: ownerJson(posture.owner) }),
  }
}

function ownerJson({ replica, isAlive, since, heartbeatAgeMs }: OwnerView): object {
  const heartbeatAgeSeconds = heartbeatAgeMs === null ? null : heartbeatAgeMs / 1000
  return { replica, alive: isAlive, since: isoOrNull(since), heartbeatAgeSeconds }
}

function resourceJson(view: ResourceView, posture: TenantPosture): object {
  const { resource, enabled, live, quarantined, missing, fresh, message } = view
  return {
    resource,
    enabled,
    state: resourceState(view, posture.holds),
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
    checks.map((check) => ({
      tenant,
      ...check,
      status: presentStatus(check),
      reason: unknownReason(check) ?? check.reason,
      ...(isPartlyKnown(check) && { notEvaluated: null, unevaluated: undefined }),
      evaluatedAt: isoOrNull(check.evaluatedAt),
      since: isoOrNull(check.since),
    })),
  )
}

/** True while data is missing, so that more entities than the last evaluation lists may be unevaluated. */
function isPartlyKnown({ status, reason, partial }: Pick<CheckView, 'status' | 'reason' | 'partial'>): boolean {
  return partial !== undefined || (status === 'unknown' && reason !== 'ambiguous')
}
