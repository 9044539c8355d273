import { pageSize, paginationOf, readPage, startPosition } from '../paginate.ts'
import { renderClient } from '../server/render.ts'
import type { Endpoint } from './endpoint.ts'
import { cursorScope, cursorSent } from './endpoint.ts'

/** "List API clients": no `limit` in the pagination; a cursor that was not issued silently gives the first page. */
export const listApiClients: Endpoint = {
  method: 'GET',
  template: '/api/public/api-clients',
  permission: 'Api_ApiClients_Read',
  handle(call) {
    const { world, tenant, query, style } = call
    const { readings, cursors } = world
    const scope = cursorScope(call, 'api-clients')
    const cursor = cursorSent(call)
    const content = cursor === null ? null : cursors.decode(scope, cursor)
    const limit = pageSize(readings, 'apiClients', query)
    const start = content?.position ?? startPosition(readings.cursorKind.apiClients)
    const page = readPage(tenant.clients, start, limit, null)
    return {
      status: 200,
      data: page.records.map((client) => renderClient(client, style)),
      pagination: paginationOf(readings, 'apiClients', page, limit, (next) => cursors.encode(scope, next)),
    }
  },
}
