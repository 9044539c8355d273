import type { ListFactory } from '../list.ts'
import { pageSize, paginationOf, startPosition } from '../paginate.ts'
import type { TenantControl } from '../tenant-control.ts'
import type { TenantState } from '../tenant-state.ts'
import type { PermissionCode } from '../truth.ts'
import { cursorScope, cursorSent, type Endpoint } from './endpoint.ts'

type Fields = Readonly<Record<string, unknown>>

export interface Operations {
  readonly add?: (fields: Fields) => unknown
  readonly update: (id: string, fields: Fields) => unknown
  readonly remove?: (id: string) => unknown
}

export interface SimulatedResource {
  readonly name: string
  readonly endpoints: readonly Endpoint[]
  /** Its records in API field names; settings are one record. */
  readonly records: (state: TenantState) => Iterable<unknown>
  readonly operations: (control: TenantControl) => Operations
  readonly list?: ListFactory
}

/**
 * A paginated list ("List API clients"): no `limit` in the pagination; a cursor that was not issued silently gives the
 * first page.
 */
export function paginatedList<const Name extends string>(name: Name, permission: PermissionCode, list: ListFactory) {
  const endpoint: Endpoint = {
    method: 'GET',
    template: `/api/public/${name}`,
    permission,
    parameters: (readings) => ['cursor', readings.apiClientsPageSizeParameter],
    handle(call) {
      const { world, tenant, query, style } = call
      const { readings, cursors } = world
      const scope = cursorScope(call, name)
      const cursor = cursorSent(call)
      const content = cursor === null ? null : cursors.decode(scope, cursor)
      const limit = pageSize(readings, 'apiClients', query)
      const start = content?.position ?? startPosition(readings.cursorKind.apiClients)
      const page = tenant.list(name).page(start, limit, style)
      return {
        status: 200,
        data: page.records,
        pagination: paginationOf(readings, 'apiClients', page, limit, (next) => cursors.encode(scope, next)),
      }
    },
  }
  return {
    name,
    list,
    endpoints: [endpoint],
    records: (state) => state.list(name),
    operations: (control) => control.list(name),
  } as const satisfies SimulatedResource
}
