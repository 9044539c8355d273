import type { ResourceName } from '../../../src/model/resource-names.ts'

/** The instant at which checks are tested. */
export const now = Date.parse('2026-03-01T12:00:00Z')

export const iso = (ms: number) => new Date(ms).toISOString()

/** Records as a tenant sends them; each test names what matters to it. */
export const client = (fields: Record<string, unknown> = {}) => ({
  clientId: 'c1',
  name: 'CI sync',
  roleName: 'Reader',
  secretExpirationDate: iso(now + 100 * 86_400_000),
  createdAt: iso(now - 86_400_000),
  ...fields,
})

export const role = (fields: Record<string, unknown> = {}, codes: readonly string[] = ['Api_Users_Read']) => ({
  roleId: 1,
  name: 'Reader',
  description: null,
  state: 'Active',
  type: 'User',
  isReadOnly: false,
  permissions: codes.map((code, permissionId) => ({ permissionId, name: code, module: null, function: null, code })),
  ...fields,
})

const change = {
  id: 1,
  resource: 'roles',
  field: null,
  before: null,
  after: null,
  at: now + 61_000,
  requestId: null,
} as const

/** A minute after everything else was read, role 1 became `Legacy`, and role 2 with the name Reader was made. */
export const renamed = {
  at: now + 120_000,
  roles: [role({ name: 'Legacy' }, ['Api_Users_Create']), role({ roleId: 2 }), role({ roleId: 3, name: 'Other' })],
  changes: [
    { ...change, key: '1', kind: 'changed', field: 'name', before: 'Reader', after: 'Legacy' },
    { ...change, key: '2', kind: 'created' },
  ],
} as const

/** A minute after everything else was read, a role with the name Reader went. */
export const removed = {
  at: now + 120_000,
  changes: [{ ...change, key: '9', kind: 'removed', before: { name: 'Reader' } }],
} as const

/** A minute after everything else was read, the permissions of role 1 changed. */
export const regranted = {
  at: now + 120_000,
  changes: [{ ...change, key: '1', kind: 'changed', field: 'permissions' }],
} as const

/** The record was read again after the roles, because a field had changed. */
export const changedSince = (resource: ResourceName, key: string, field: string) => ({
  rolesReadAt: now - 1,
  changes: [{ ...change, resource, key, at: now, kind: 'changed', field } as const],
})

/** Cases of clients that may have had another role when they were read. */
export const ofAnotherRole = [
  [
    'a client whose role name was given to another role since it was read, beside one of another name',
    { 'api-clients': [client(), client({ clientId: 'c2', roleName: 'Other' })], roles: renamed.roles },
    [],
    { ...renamed, population: 2, notEvaluated: 1, scope: { c1: 'not_evaluated', c2: 'evaluated' } },
  ],
  [
    'a client that was read before its role changed',
    { 'api-clients': [client()], roles: [role()] },
    [],
    { ...regranted, population: 1, notEvaluated: 1, scope: { c1: 'not_evaluated' } },
  ],
  [
    'a client that was read before a role of its name went',
    { 'api-clients': [client()], roles: [role()] },
    [],
    { ...removed, population: 1, notEvaluated: 1, scope: { c1: 'not_evaluated' } },
  ],
] as const

export const user = (fields: Record<string, unknown> = {}) => ({
  userId: 1,
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  state: 'Active',
  mfaStatus: true,
  mfaAction: false,
  roleId: null,
  roleName: 'Reader',
  createdAt: iso(now - 86_400_000),
  ...fields,
})

export const settings = (fields: Record<string, unknown> = {}) => ({
  ssoEnabled: true,
  ssoEnforced: true,
  providerType: 'Saml',
  tenantName: 'acme',
  mfaEnabled: true,
  ...fields,
})

/** The answer of a tenant without SSO. */
export const withoutSsoSettings = () =>
  settings({ ssoEnabled: false, ssoEnforced: false, providerType: null, tenantName: null, mfaEnabled: false })

export const document = (fields: Record<string, unknown> = {}) => ({
  fileId: 'd1',
  filename: 'policy.pdf',
  uploadStatus: 'Completed',
  createdAt: iso(now - 86_400_000),
  updatedAt: null,
  ...fields,
})

/** One document, in this status since it was created. */
export const being = (uploadStatus: string | null, ageMs: number) => ({
  documents: [document({ uploadStatus, createdAt: iso(now - ageMs) })],
})
