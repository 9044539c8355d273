import type { WholeResource } from '../sync/resource.ts'
import { contradictionOfRoles } from './contradiction-of-roles.ts'
import { fetchedList } from './reading-items.ts'

/** Specification: List roles. A failure is a 500, so an empty list is real, unless the mirror shows who has a role. */
export const roles = {
  name: 'roles',
  nouns: ['role', 'roles'],
  kind: 'whole',
  permission: 'Api_Roles_Read',
  endpoints: ['/api/public/roles'],
  schedule: { full: '*/30 * * * *' },
  idField: 'roleId',
  fetch: async (reader, signal) => fetchedList(await reader.listRoles(signal)),
  contradiction: contradictionOfRoles,
} as const satisfies WholeResource
