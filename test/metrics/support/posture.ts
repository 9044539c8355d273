import type { CheckView, ModeView, ResourceView, TenantPosture } from '../../../src/model/posture.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'

export const at = Date.parse('2026-03-14T09:26:53Z')
const minute = 60_000
const hour = 60 * minute

/** A mode that succeeded lately. */
export function mode(over: Partial<ModeView> = {}): ModeView {
  return {
    mode: 'full',
    up: true,
    lastAttemptAt: at - 10 * minute,
    lastSuccessAt: at - 10 * minute,
    freshnessLimitMs: 3 * hour,
    reason: null,
    ...over,
  }
}

/** A resource that is complete and fresh. */
export function resource(name: ResourceName, over: Partial<ResourceView> = {}): ResourceView {
  return {
    resource: name,
    enabled: true,
    live: 12,
    quarantined: 0,
    missing: 0,
    dataAsOf: at - 11 * minute,
    freshnessLimitMs: 3 * hour,
    fresh: true,
    message: null,
    modes: [mode()],
    ...over,
  }
}

/** A resource that nothing was ever read of. */
export function unread(name: ResourceName): ResourceView {
  return resource(name, {
    live: 0,
    dataAsOf: null,
    fresh: false,
    modes: [mode({ up: false, lastAttemptAt: null, lastSuccessAt: null })],
  })
}

/** A check that passes. */
export function check(id: string, over: Partial<CheckView> = {}): CheckView {
  return {
    check: id,
    title: `The case of ${id}`,
    passesWhen: `The case of ${id}`,
    risk: 'Something is at risk',
    remediation: 'Correct it',
    enabled: true,
    status: 'pass',
    reason: null,
    entities: 12,
    notEvaluated: 0,
    evaluatedAt: at - 20_000,
    since: at - 40 * hour,
    severities: ['high'],
    open: {},
    waived: {},
    ...over,
  }
}

export function posture(over: Partial<TenantPosture> = {}): TenantPosture {
  return {
    tenant: 'acme',
    at,
    waiversAt: at,
    clockSkewMs: null,
    blockedUntil: 0,
    holds: [],
    identity: 'proven',
    resources: [resource('api-clients'), resource('users')],
    checks: [check('user-mfa-enrolled')],
    waivers: [],
    ...over,
  }
}
