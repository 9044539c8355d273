import { pageSize, paginationOf, readPage, startPosition } from '../paginate.ts'
import { ApiError, invalidParameter, notFound } from '../server/api-error.ts'
import { renderUser } from '../server/render.ts'
import { roleNameOf } from '../tenant.ts'
import { parseTimestamp } from '../timestamps.ts'
import type { UserTruth } from '../truth.ts'
import { createUser } from './create-user.ts'
import { cursorScope, cursorSent, type Endpoint, feedParameters, integerId, single } from './endpoint.ts'
import type { SimulatedResource } from './resource.ts'

/**
 * "List users": oldest first, `roleId` always null. Throws 400 `BAD_REQUEST` for `cursor` beside `updatedAfter` and
 * 400 `VALIDATION_FAILED` for a cursor that was not issued.
 */
const listUsers: Endpoint = {
  method: 'GET',
  template: '/api/public/users',
  permission: 'Api_Users_Read',
  parameters: feedParameters,
  handle(call) {
    const { world, tenant, query, style } = call
    const { readings, cursors } = world
    const scope = cursorScope(call, 'users')
    const cursor = cursorSent(call)
    if (cursor !== null && query.has('updatedAfter')) {
      throw new ApiError(400, 'BAD_REQUEST', 'cursor and updatedAfter must not be sent together')
    }
    const content = cursor === null ? null : cursors.decode(scope, cursor)
    if (cursor !== null && content === null) throw invalidParameter('cursor is not valid')

    const sent = readings.usersUpdatedAfter === 'createdAt' ? query.get('updatedAfter') : null
    const after = sent === null ? (content?.updatedAfter ?? null) : parseTimestamp(sent)
    if (sent !== null && after === null) throw invalidParameter('updatedAfter is not an ISO 8601 timestamp')

    const limit = pageSize(readings, 'users', query)
    const matches = after === null ? null : (user: UserTruth) => user.createdAt >= after
    const page = readPage(
      tenant.users,
      content?.position ?? startPosition(readings.cursorKind.users, after),
      limit,
      matches,
    )
    return {
      status: 200,
      data: page.records.map((user) => renderUser(user, roleNameOf(tenant, user), false, style)),
      pagination: paginationOf(readings, 'users', page, limit, (next) => cursors.encode(scope, next), after),
    }
  },
}

/** "Get user": the only endpoint with `roleId`. Throws 404 `NOT_FOUND`, also for users of other tenants. */
const getUser: Endpoint = {
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

export const users = {
  name: 'users',
  endpoints: [createUser, getUser, listUsers],
  records: (state) => state.users(),
  operations: (control) => ({
    add: (fields) => control.addUser(fields),
    update: (id, fields) => control.updateUser(Number(id), fields),
    remove: (id) => control.removeUser(Number(id)),
  }),
} as const satisfies SimulatedResource
