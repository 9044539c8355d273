import { notFound } from '../server/api-error.ts'
import { renderRole } from '../server/render.ts'
import { type Endpoint, integerId, single, unordered } from './endpoint.ts'
import type { SimulatedResource } from './resource.ts'

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

export const roles = {
  name: 'roles',
  endpoints: [getRole, listRoles],
  records: (state) => state.roles(),
  operations: (control) => ({
    add: (fields) => control.addRole(fields),
    update: (id, fields) => control.updateRole(Number(id), fields),
    remove: (id) => control.removeRole(Number(id)),
  }),
} as const satisfies SimulatedResource
