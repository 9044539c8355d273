import type { Endpoint } from './endpoint.ts'
import { single, unordered } from './endpoint.ts'

/** "List permissions": the whole catalogue, in no particular order; it needs `Api_Roles_Read`. */
export const listPermissions: Endpoint = {
  method: 'GET',
  template: '/api/public/permissions',
  permission: 'Api_Roles_Read',
  handle: ({ world, tenant }) => single(unordered(world, tenant.permissions)),
}
