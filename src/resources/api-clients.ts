import type { PagedListResource } from '../sync/resource.ts'
import { fetchedPage } from './reading-items.ts'

/** An invalid cursor restarts the list in silence (docs/api.md#cursors); an empty list proves nothing. */
export const apiClients = {
  name: 'api-clients',
  kind: 'pagedList',
  permission: 'Api_ApiClients_Read',
  endpoints: ['/api/public/api-clients'],
  schedule: { full: '*/15 * * * *' },
  idField: 'clientId',
  identifiedBy: 'guid',
  fetch: async (reader, query, signal) => fetchedPage(await reader.listApiClients(query, signal)),
} as const satisfies PagedListResource
