import { notFound } from '../server/api-error.ts'
import { renderRole, renderSettings, renderUser } from '../server/render.ts'
import { roleNameOf } from '../tenant.ts'
import { createUser } from './create-user.ts'
import { type Endpoint, integerId, single, unordered } from './endpoint.ts'
import { listApiClients } from './list-api-clients.ts'
import { listDocuments } from './list-documents.ts'
import { listUsers } from './list-users.ts'

/** "Get user": the only endpoint with `roleId`. Throws 404 `NOT_FOUND`, also for users of other tenants. */
const getUser: Endpoint = {
  method: 'GET',
  template: '/api/public/users/{id}',
  permission: 'Api_Users_Read',
  handle({ tenant, id, style }) {
    const userId = integerId(id)
    const user = userId === null ? undefined : tenant.users.get(userId)
    if (user === undefined) throw notFound('User not found')
    return single(renderUser(user, roleNameOf(tenant, user), true, style))
  },
}

/** "Get role". Throws 404 `NOT_FOUND`, also for roles of other tenants. */
const getRole: Endpoint = {
  method: 'GET',
  template: '/api/public/roles/{id}',
  permission: 'Api_Roles_Read',
  handle({ tenant, id, style }) {
    const roleId = integerId(id)
    const role = roleId === null ? undefined : tenant.roles.get(roleId)
    if (role === undefined) throw notFound('Role not found')
    return single(renderRole(role, style))
  },
}

/** "List roles": all of them, inactive ones too, in no particular order; empty only when the tenant has none. */
const listRoles: Endpoint = {
  method: 'GET',
  template: '/api/public/roles',
  permission: 'Api_Roles_Read',
  handle({ world, tenant, style }) {
    return single(unordered(world, [...tenant.roles.values()]).map((role) => renderRole(role, style)))
  },
}

/** "Get authentication settings": 200 also without SSO, with all flags false and both names null. */
const getAuthenticationSettings: Endpoint = {
  method: 'GET',
  template: '/api/public/authentication-settings',
  permission: 'Api_AuthSettings_Read',
  handle: ({ tenant, style }) => single(renderSettings(tenant.settings, style)),
}

/** "List permissions": the whole catalogue, in no particular order; it needs `Api_Roles_Read`. */
const listPermissions: Endpoint = {
  method: 'GET',
  template: '/api/public/permissions',
  permission: 'Api_Roles_Read',
  handle: ({ world, tenant }) => single(unordered(world, tenant.permissions)),
}

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
