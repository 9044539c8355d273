import { renderRole } from '../server/render.ts'
import type { Endpoint } from './endpoint.ts'
import { single, unordered } from './endpoint.ts'

/** "List roles": all of them, inactive ones too, in no particular order; empty only when the tenant has none. */
export const listRoles: Endpoint = {
  method: 'GET',
  template: '/api/public/roles',
  permission: 'Api_Roles_Read',
  handle({ world, tenant, style }) {
    return single(unordered(world, [...tenant.roles.values()]).map((role) => renderRole(role, style)))
  },
}
