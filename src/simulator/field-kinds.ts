import type { FieldKinds } from './fields.ts'

export const userKinds = {
  userId: 'integer',
  firstName: 'string',
  lastName: 'string',
  email: 'string',
  state: 'string',
  mfaStatus: 'boolean',
  mfaAction: 'boolean',
  roleId: 'integer',
  roleName: 'string?',
  createdAt: 'time',
} as const satisfies FieldKinds

export const documentKinds = {
  fileId: 'guid',
  filename: 'string',
  uploadStatus: 'string?',
  createdAt: 'time',
  updatedAt: 'time?',
} as const satisfies FieldKinds

export const roleKinds = {
  roleId: 'integer',
  name: 'string',
  description: 'string',
  state: 'string',
  type: 'string',
  isReadOnly: 'boolean',
} as const satisfies FieldKinds

export const settingsKinds = {
  ssoEnabled: 'boolean',
  ssoEnforced: 'boolean',
  providerType: 'string?',
  tenantName: 'string?',
  mfaEnabled: 'boolean',
} as const satisfies FieldKinds
