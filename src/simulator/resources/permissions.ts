import { asText } from '../control/input.ts'
import type { Permission } from '../truth.ts'
import { type Endpoint, single, unordered } from './endpoint.ts'
import type { SimulatedResource } from './resource.ts'

/** "List permissions": the whole catalogue, in no particular order; it needs `Api_Roles_Read`. */
const listPermissions: Endpoint = {
  method: 'GET',
  template: '/api/public/permissions',
  permission: 'Api_Roles_Read',
  handle: ({ world, tenant }) => single(unordered(world, tenant.permissions)),
}

export const permissions = {
  name: 'permissions',
  endpoints: [listPermissions],
  records: (state) => state.permissions(),
  operations: (control) => ({
    add: (fields) =>
      control.addPermission({ ...(fields as Partial<Permission>), code: asText(fields['code'], 'code') }),
    update: (id, fields) => control.updatePermission(Number(id), fields),
    remove: (id) => control.removePermission(Number(id)),
  }),
} as const satisfies SimulatedResource
