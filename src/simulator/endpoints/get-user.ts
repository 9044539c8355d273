import { notFound } from '../server/api-error.ts'
import { renderUser } from '../server/render.ts'
import { roleNameOf } from '../tenant.ts'
import type { Endpoint } from './endpoint.ts'
import { integerId, single } from './endpoint.ts'

/** "Get user": the only place where `roleId` is read. Throws 404 `NOT_FOUND`, also for users of other tenants. */
export const getUser: Endpoint = {
  method: 'GET',
  template: '/api/public/users/{id}',
  permission: 'Api_Users_Read',
  handle({ tenant, id, style }) {
    const userId = integerId(id)
    const user = userId === null ? undefined : tenant.users.get(userId)
    if (user === undefined) throw notFound('User not found')
    return single(renderUser(user, roleNameOf(tenant, user), true, style))
  },
}
