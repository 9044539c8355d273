import type { SecretView } from '../../../src/model/expiry.ts'
import type { FindingView } from '../../../src/model/finding.ts'
import type { TenantPosture, WaiverView } from '../../../src/model/posture.ts'
import type { Severity, SeverityCounts } from '../../../src/model/severity.ts'
import type { ChangeView } from '../../../src/web/web-options.ts'
import { at, check, mode, posture, resource } from '../../metrics/support/posture.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const incremental = (over = {}) =>
  mode({
    mode: 'incremental',
    lastAttemptAt: at - 2 * minute,
    lastSuccessAt: at - 2 * minute,
    freshnessLimitMs: 15 * minute,
    ...over,
  })

const failing = (name: string, open: SeverityCounts) => check(name, { status: 'fail', open, entities: 48211 })

/** A tenant with something of everything, as the page would show it on an eventful day. */
export const acme: TenantPosture = posture({
  holds: [
    {
      id: 'H-7f3a91c2',
      resource: 'documents',
      reason: 'shrink_held',
      count: 214,
      message: '214 of 1,305 documents were absent from two complete full syncs, more than 10 % may go at once',
      raisedAt: at - 5 * hour,
    },
  ],
  resources: [
    resource('api-clients'),
    resource('authentication-settings', { live: 1 }),
    resource('documents', { modes: [incremental(), mode({ up: false, reason: 'shrink_held' })] }),
    resource('permissions', { live: 41 }),
    resource('roles', {
      ...{ dataAsOf: at - 4 * hour, fresh: false, freshnessLimitMs: 90 * minute },
      message: 'Listing roles failed with 401: the API client lacks the permission Api_Roles_Read',
      modes: [mode({ up: false, reason: 'missing_permission', lastSuccessAt: at - 4 * hour })],
    }),
    resource('users', { live: 48211, quarantined: 2, modes: [incremental(), mode()] }),
  ],
  checks: [
    check('api-client-least-privilege', { status: 'unknown', reason: 'missing_permission' }),
    check('api-client-role-active', { status: 'unknown', reason: 'missing_permission' }),
    check('api-client-secret-lifetime'),
    failing('api-client-secret-not-expired', { critical: 1 }),
    failing('api-client-secret-not-expiring', { high: 1, medium: 1 }),
    check('auth-mfa-policy-enabled'),
    check('auth-settings-unchanged'),
    check('auth-sso-enforced', { status: 'fail', waived: { high: 1 } }),
    check('document-current', { status: 'unknown', reason: 'shrink_held' }),
    check('document-required-present', { status: 'not_applicable', entities: 0 }),
    failing('user-invitation-accepted', { medium: 14, high: 3 }),
    failing('user-mfa-enrolled', { high: 117, low: 31 }),
    check('user-role-active', { enabled: false, status: 'not_applicable', entities: 0 }),
  ],
})

/** A tenant where nothing is wrong. */
export const globex: TenantPosture = posture({
  tenant: 'globex',
  resources: [resource('api-clients'), resource('users', { modes: [incremental(), mode()] })],
  checks: [check('api-client-secret-not-expired'), check('auth-mfa-policy-enabled'), check('user-mfa-enrolled')],
})

export function finding(over: Partial<FindingView> = {}): FindingView {
  return {
    fingerprint: '9c1f0a7be2d4',
    tenant: 'acme',
    check: 'user-mfa-enrolled',
    entity: { type: 'user', id: '1041' },
    severity: 'high',
    state: 'open',
    message: 'User 1041 is Active and has not enrolled a second factor while the policy requires it',
    evidence: { userId: 1041, email: 'jo@example.com', state: 'Active', mfaStatus: false },
    firstSeen: '2026-01-12T08:00:00.000Z',
    lastSeen: '2026-03-14T09:26:00.000Z',
    resolvedAt: null,
    resolution: null,
    reopened: 0,
    waiver: null,
    owner: null,
    link: null,
    ...over,
  }
}

/** A field of a user that changed half an hour ago. */
export function change(over: Partial<ChangeView> = {}): ChangeView {
  return {
    ...{ id: 1, tenant: 'acme', resource: 'users', key: '1041' },
    names: ['Ada Byron', 'ada@example.com'],
    at: at - 30 * minute,
    kind: 'changed',
    field: 'roleName',
    before: 'Viewer',
    after: 'Editor',
    requestId: '6a1b9c2e-0f4d-4c55-8a77-3b1e5d9f0a12',
    ...over,
  }
}

/** A waiver that covers one finding for a month. */
export function waiver(over: Partial<WaiverView> = {}): WaiverView {
  return {
    id: 'W-1',
    check: 'document-name-unique',
    entity: '*',
    owner: 'Jo Fields',
    reason: 'Both are kept until the audit is over',
    expiresAt: at + 30 * day,
    state: 'active',
    covered: 1,
    lapsed: 0,
    ...over,
  }
}

const client = (name: string, daysLeft: number): SecretView => ({
  ...{ clientId: `3f0c2b1e-77aa-4f5e-9d11-${name}`, name, role: 'Reader', own: false },
  expiresAt: at + daysLeft * day,
})
export const acmeSecrets = [client('old', -3), client('soon', 5), client('later', 212)]

const ofClient = (severity: Severity, check: string, { clientId }: SecretView) =>
  finding({ check, severity, fingerprint: clientId.slice(-12), entity: { type: 'api-client', id: clientId } })

export const acmeFindings: readonly FindingView[] = [
  ...acmeSecrets.slice(0, 1).map((one) => ofClient('critical', 'api-client-secret-not-expired', one)),
  ...acmeSecrets.slice(1, 2).map((one) => ofClient('high', 'api-client-secret-not-expiring', one)),
  ...Array.from({ length: 117 }, (_, i) =>
    finding({ fingerprint: `9c1f0a7b${i}`, entity: { type: 'user', id: String(1041 + i) } }),
  ),
]
