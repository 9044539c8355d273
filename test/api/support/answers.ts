export const requestId = '11111111-2222-3333-4444-555555555555'
/** Of an answer that was sent by `sendJson`. */
export const sentRequestId = /^11111111-2222-3333-4444-\d{12}$/
export const meta = { requestId, timestamp: '2026-01-15T00:00:02Z' }

export const user = {
  userId: 7,
  firstName: 'Ada',
  lastName: 'Byron',
  email: 'ada@example.com',
  state: 'Active',
  mfaStatus: true,
  mfaAction: false,
  roleId: null,
  roleName: 'Admin',
  createdAt: '2025-01-01T00:00:00Z',
}
export const permission = { permissionId: 3, name: 'Read', module: 'Users', function: 'List', code: 'Api_Users_Read' }
export const role = {
  roleId: 2,
  name: 'Admin',
  description: 'All',
  state: 'Active',
  type: 'User',
  isReadOnly: false,
  permissions: [permission],
}
export const apiClient = {
  clientId: 'AAAAAAAA-0000-0000-0000-000000000001',
  name: 'Watch',
  roleName: 'Admin',
  secretExpirationDate: '2027-01-01T00:00:00Z',
  createdAt: '2025-01-01T00:00:00Z',
}
export const document = {
  fileId: 'bbbbbbbb-0000-0000-0000-000000000001',
  filename: 'policy.pdf',
  uploadStatus: 'Completed',
  createdAt: '2025-01-01T00:00:00Z',
  updatedAt: null,
}
export const settings = {
  ssoEnabled: false,
  ssoEnforced: false,
  providerType: null,
  tenantName: null,
  mfaEnabled: true,
}

export function envelope(data: unknown, pagination: unknown = null) {
  return { data, pagination, error: null, meta }
}

export function page(data: unknown, pagination: object = {}) {
  return envelope(data, { limit: 50, nextCursor: 'next', hasMore: false, ...pagination })
}

export function problem(code: string) {
  return { data: null, pagination: null, error: { code, message: 'private text' }, meta }
}
