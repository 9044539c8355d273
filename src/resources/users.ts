import { isoMs } from '../model/dates.ts'
import type { FeedResource } from '../sync/resource.ts'
import { fetchedPage } from './reading-items.ts'

/**
 * Specification: List users, Get user; Resources, User: an e-mail is unique within the tenant. The feed shows new users
 * only; everything else needs a full sync.
 */
export const users = {
  name: 'users',
  nouns: ['user', 'users'],
  kind: 'feed',
  permission: 'Api_Users_Read',
  endpoints: ['/api/public/users', '/api/public/users/{id}'],
  schedule: { incremental: '*/5 * * * *', full: '17 * * * *' },
  idField: 'userId',
  identifiedBy: 'person',
  lostCursor: { by: 'fullSync' },
  removal: 'confirm',
  ambiguousBy: ['roles', 'name'],
  unique: { field: 'email', event: 'duplicate_email' },
  fetch: async (reader, query, signal, unless) => fetchedPage(await reader.listUsers(query, signal, unless)),
  fetchOne: (reader, userId, signal) => reader.getUser(userId, signal),
  orderOf: (record) => ('createdAt' in record ? isoMs(record.createdAt) : null),
} as const satisfies FeedResource
