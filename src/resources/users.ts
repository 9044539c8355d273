import { isoMs } from '../model/dates.ts'
import type { FeedResource } from '../sync/resource.ts'
import { fetchedPage } from './reading-items.ts'

/**
 * The feed shows new users only; everything else needs a full sync. An e-mail is unique within the tenant
 * (docs/api.md#user).
 */
export const users = {
  name: 'users',
  kind: 'feed',
  permission: 'Api_Users_Read',
  endpoints: ['/api/public/users', '/api/public/users/{id}'],
  schedule: { incremental: '*/5 * * * *', full: '17 * * * *' },
  idField: 'userId',
  identifiedBy: 'person',
  lostCursor: 'full',
  removal: 'confirm',
  unique: { field: 'email', event: 'duplicate_email' },
  fetch: async (reader, query, signal, unless) => fetchedPage(await reader.listUsers(query, signal, unless)),
  fetchOne: (reader, userId, signal) => reader.getUser(userId, signal),
  orderOf: (record) => ('createdAt' in record ? isoMs(record.createdAt) : null),
} as const satisfies FeedResource
