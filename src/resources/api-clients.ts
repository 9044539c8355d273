import type { PagedListResource } from '../sync/resource.ts'
import { fetchedPage } from './reading-items.ts'

/** Specification: List API clients. An invalid cursor restarts the list in silence; an empty one proves nothing. */
export const apiClients = {
  name: 'api-clients',
  nouns: ['API client', 'API clients'],
  kind: 'pagedList',
  permission: 'Api_ApiClients_Read',
  endpoints: ['/api/public/api-clients'],
  schedule: { full: '*/15 * * * *' },
  idField: 'clientId',
  identifiedBy: 'guid',
  containsSelf: true,
  fetch: async (reader, query, signal) => fetchedPage(await reader.listApiClients(query, signal)),
} as const satisfies PagedListResource
