import type { ChangeView } from '../../../src/model/change.ts'
import type { SecretView } from '../../../src/model/expiry.ts'
import type { FindingView } from '../../../src/model/finding.ts'
import type { TenantPosture, WaiverView } from '../../../src/model/posture.ts'
import type { Severity } from '../../../src/model/severity.ts'
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
    resource('api-clients', { live: 9, dataAsOf: at - 9 * minute, freshnessLimitMs: 45 * minute }),
    resource('authentication-settings', { live: 1, dataAsOf: at - 3 * minute, freshnessLimitMs: 15 * minute }),
    resource('documents', {
      live: 1305,
      dataAsOf: at - 5 * hour,
      freshnessLimitMs: 18 * hour,
      modes: [incremental(), mode({ up: false, reason: 'shrink_held', lastSuccessAt: at - 11 * hour })],
    }),
    resource('permissions', { live: 41, dataAsOf: at - 26 * minute, freshnessLimitMs: 90 * minute }),
    resource('roles', {
      live: 12,
      dataAsOf: at - 4 * hour,
      fresh: false,
      freshnessLimitMs: 90 * minute,
      message: 'Listing roles failed with 401: the API client lacks the permission Api_Roles_Read',
      modes: [mode({ up: false, reason: 'missing_permission', lastSuccessAt: at - 4 * hour })],
    }),
    resource('users', {
      live: 48211,
      quarantined: 2,
      dataAsOf: at - 41 * minute,
      modes: [incremental(), mode({ lastSuccessAt: at - 40 * minute })],
    }),
  ],
  checks: [
    check('api-client-least-privilege', {
      status: 'unknown',
      reason: 'missing_permission',
      entities: 9,
    }),
    check('api-client-role-active', {
      status: 'unknown',
      reason: 'missing_permission',
      entities: 9,
      severities: ['medium'],
    }),
    check('api-client-secret-lifetime', {
      entities: 9,
      severities: ['low'],
    }),
    check('api-client-secret-not-expired', {
      status: 'fail',
      entities: 9,
      severities: ['critical'],
      open: { critical: 1 },
      since: at - 3 * day,
    }),
    check('api-client-secret-not-expiring', {
      status: 'fail',
      entities: 9,
      severities: ['medium', 'high'],
      open: { high: 1, medium: 1 },
      since: at - 6 * day,
    }),
    check('auth-mfa-policy-enabled', { entities: 1 }),
    check('auth-settings-unchanged', {
      entities: 5,
      severities: ['medium', 'critical'],
    }),
    check('auth-sso-enforced', {
      status: 'fail',
      entities: 1,
      severities: ['low', 'high'],
      open: {},
      waived: { high: 1 },
      since: at - 80 * day,
    }),
    check('document-current', {
      status: 'unknown',
      reason: 'shrink_held',
      entities: 1305,
      severities: ['medium'],
    }),
    check('document-required-present', {
      status: 'not_applicable',
      entities: 0,
    }),
    check('user-invitation-accepted', {
      status: 'fail',
      entities: 62,
      severities: ['medium', 'high'],
      open: { medium: 14, high: 3 },
      since: at - 20 * day,
    }),
    check('user-mfa-enrolled', {
      status: 'fail',
      entities: 48211,
      severities: ['low', 'high'],
      open: { high: 117, low: 31 },
      waived: { high: 4 },
      since: at - 61 * day,
    }),
    check('user-role-active', {
      enabled: false,
      status: 'not_applicable',
      entities: 0,
      severities: ['medium'],
    }),
  ],
})

/** A tenant where nothing is wrong. */
export const globex: TenantPosture = posture({
  tenant: 'globex',
  resources: [
    resource('api-clients', { live: 3, dataAsOf: at - 4 * minute, freshnessLimitMs: 45 * minute }),
    resource('authentication-settings', { live: 1, dataAsOf: at - 3 * minute, freshnessLimitMs: 15 * minute }),
    resource('users', { live: 310, modes: [incremental(), mode()] }),
  ],
  checks: [
    check('api-client-secret-not-expired', { entities: 3 }),
    check('auth-mfa-policy-enabled', { entities: 1 }),
    check('user-mfa-enrolled', { entities: 310 }),
  ],
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
    ...over,
  }
}

/** A field of a user that changed half an hour ago. */
export function change(over: Partial<ChangeView> = {}): ChangeView {
  return {
    resource: 'users',
    entity: '1041',
    names: ['Ada Byron', 'ada@example.com'],
    at: at - 30 * minute,
    kind: 'changed',
    field: 'roleName',
    before: 'Viewer',
    after: 'Editor',
    requestId: '6a1b9c2e-0f4d-4c55-8a77-3b1e5d9f0a12',
    personal: false,
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

const secret = (check: string, severity: Severity, client: string, message: string, days: number) =>
  finding({
    check,
    severity,
    message,
    fingerprint: client.slice(-12),
    entity: { type: 'api-client', id: client },
    firstSeen: new Date(at - days * day).toISOString(),
  })

export const acmeFindings: readonly FindingView[] = [
  secret(
    'api-client-secret-not-expired',
    'critical',
    '3f0c2b1e-77aa-4f5e-9d11-0c51e7a2b9d4',
    'The secret of API client 3f0c2b1e-77aa-4f5e-9d11-0c51e7a2b9d4 expired on 2026-03-11',
    3,
  ),
  secret(
    'api-client-secret-not-expiring',
    'high',
    'a81d5c90-1b2c-4d3e-8f60-7182930a4b5c',
    'The secret of API client a81d5c90-1b2c-4d3e-8f60-7182930a4b5c expires on 2026-03-19',
    6,
  ),
  secret(
    'api-client-secret-not-expiring',
    'medium',
    'b2c3d4e5-f601-4718-8293-a4b5c6d7e8f9',
    'The secret of API client b2c3d4e5-f601-4718-8293-a4b5c6d7e8f9 expires on 2026-04-02',
    1,
  ),
  ...Array.from({ length: 117 }, (_, i) =>
    finding({
      fingerprint: `9c1f0a7b${(0xe2d4 + i * 7919).toString(16).padStart(6, '0')}`,
      entity: { type: 'user', id: String(1041 + i * 37) },
      message: `User ${1041 + i * 37} is Active and has not enrolled a second factor while the policy requires it`,
    }),
  ),
]

export const acmeSecrets: readonly SecretView[] = [
  {
    clientId: '3f0c2b1e-77aa-4f5e-9d11-0c51e7a2b9d4',
    name: 'Legacy export',
    role: 'Integration',
    own: false,
    expiresAt: at - 3 * day,
  },
  {
    clientId: 'a81d5c90-1b2c-4d3e-8f60-7182930a4b5c',
    name: 'HR sync',
    role: 'Integration',
    own: false,
    expiresAt: at + 5 * day,
  },
  {
    clientId: 'b2c3d4e5-f601-4718-8293-a4b5c6d7e8f9',
    name: 'Reporting',
    role: 'Reader',
    own: false,
    expiresAt: at + 19 * day,
  },
  {
    clientId: 'c90d1e2f-3a4b-4c5d-8e6f-708192a3b4c5',
    name: 'tenantwatch',
    role: 'Monitor',
    own: false,
    expiresAt: at + 212 * day,
  },
]
