import { notFound } from '../server/api-error.ts'
import { renderRole } from '../server/render.ts'
import type { Endpoint } from './endpoint.ts'
import { integerId, single } from './endpoint.ts'

/** "Get role". Throws 404 `NOT_FOUND`, also for roles of other tenants. */
export const getRole: Endpoint = {
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
