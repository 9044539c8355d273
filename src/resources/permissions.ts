import { id, text } from '../model/fields.ts'
import { defineResource } from '../model/resource.ts'

/** Fields of an entry of the catalogue, also within roles (docs/internals/api.md#permission). */
export const permissionFields = {
  permissionId: id.integer(),
  name: text(),
  module: text(),
  function: text(),
  code: text({ strict: true, filled: true }),
} as const

/** docs/internals/api.md#permission: requires the permission to read roles. */
export const permissions = defineResource({
  name: 'permissions',
  nouns: ['permission', 'permissions'],
  kind: 'whole',
  path: '/api/public/permissions',
  permission: 'Api_Roles_Read',
  probe: 3,
  schedule: { full: '*/30 * * * *' },
  readAfter: ['roles'],
  fields: permissionFields,
})
