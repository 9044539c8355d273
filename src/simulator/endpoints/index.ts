import { createUser } from './create-user.ts'
import type { Endpoint } from './endpoint.ts'
import { getAuthenticationSettings } from './get-authentication-settings.ts'
import { getRole } from './get-role.ts'
import { getUser } from './get-user.ts'
import { listApiClients } from './list-api-clients.ts'
import { listDocuments } from './list-documents.ts'
import { listPermissions } from './list-permissions.ts'
import { listRoles } from './list-roles.ts'
import { listUsers } from './list-users.ts'

/** The nine endpoints of the specification ("Endpoints"). */
export const endpoints = [
  createUser,
  getAuthenticationSettings,
  getRole,
  getUser,
  listApiClients,
  listDocuments,
  listPermissions,
  listRoles,
  listUsers,
] as const satisfies readonly Endpoint[]
