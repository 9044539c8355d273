import type { WholeResource } from '../sync/resource.ts'
import { fetchedList } from './reading-items.ts'

/** Specification: List roles. A failure is a 500, so an empty list is real, unless the mirror shows who has a role. */
export const roles = {
  name: 'roles',
  kind: 'whole',
  permission: 'Api_Roles_Read',
  endpoints: ['/api/public/roles'],
  schedule: { sweep: '*/30 * * * *' },
  idField: 'roleId',
  fetch: async (reader, signal) => fetchedList(await reader.listRoles(signal)),
  async emptyContradiction(records) {
    const named = { all: [{ field: 'roleName', not: null }] } as const
    const users = await records.count('users', named)
    if (users > 0) return `${users} users carry a role name`
    const clients = await records.count('api-clients', named)
    return clients > 0 ? `${clients} API clients carry a role name` : null
  },
} as const satisfies WholeResource
