import type { WholeResource } from '../sync/resource.ts'
import { fetchedList } from './reading-items.ts'

/** Specification: List permissions. Guarded by the permission to read roles. */
export const permissions = {
  name: 'permissions',
  nouns: ['permission', 'permissions'],
  kind: 'whole',
  permission: 'Api_Roles_Read',
  endpoints: ['/api/public/permissions'],
  schedule: { full: '*/30 * * * *' },
  idField: 'permissionId',
  fetch: async (reader, signal) => fetchedList(await reader.listPermissions(signal)),
} as const satisfies WholeResource
