import type { WholeResource } from '../sync/resource.ts'
import { fetchedList } from './reading-items.ts'

/** Read with the permission to read roles (docs/api.md#endpoints). */
export const permissions = {
  name: 'permissions',
  kind: 'whole',
  permission: 'Api_Roles_Read',
  endpoints: ['/api/public/permissions'],
  schedule: { full: '*/30 * * * *' },
  idField: 'permissionId',
  fetch: async (reader, signal) => fetchedList(await reader.listPermissions(signal)),
} as const satisfies WholeResource
