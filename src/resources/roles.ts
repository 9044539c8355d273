import { flag, id, list, text } from '../model/fields.ts'
import { defineResource } from '../model/resource.ts'
import { permissionFields } from './permissions.ts'

/** docs/internals/api.md#role: a failure is a 500, so an empty list is real unless users or clients have a role. */
export const roles = defineResource({
  name: 'roles',
  nouns: ['role', 'roles'],
  kind: 'whole',
  path: '/api/public/roles',
  permission: 'Api_Roles_Read',
  probe: 4,
  schedule: { full: '*/30 * * * *' },
  readAfter: ['api-clients', 'users'],
  fields: {
    roleId: id.integer(),
    name: text({ strict: true }),
    description: text(),
    state: text({ strict: true, known: { setting: 'roles.knownStates', words: ['Active', 'Inactive'] } }),
    type: text(),
    isReadOnly: flag(),
    permissions: list({ of: permissionFields, view: 'role_permissions' }),
  },
  gauges: [
    {
      kind: 'count',
      name: 'tenantwatch_roles',
      help: 'Roles by state; "other" is any state but Active, the only value the API\'s specification shows. Absent before the first complete full sync.',
      by: { state: ['Active'] },
    },
  ],
  contradictedBy: {
    namedBy: [
      ['users', 'roleName'],
      ['api-clients', 'roleName'],
    ],
    grants: ['permissions', 'code'],
    name: 'name',
  },
})
