import { date, id, text } from '../model/fields.ts'
import { defineResource } from '../model/resource.ts'

/** docs/internals/api.md#api-client: an invalid cursor silently restarts the list; an empty list proves nothing. */
export const apiClients = defineResource({
  name: 'api-clients',
  nouns: ['API client', 'API clients'],
  kind: 'pagedList',
  path: '/api/public/api-clients',
  permission: 'Api_ApiClients_Read',
  probe: 5,
  schedule: { full: '*/15 * * * *' },
  fields: {
    clientId: id.guid(),
    name: text(),
    roleName: text({ strict: true, optional: true }),
    // Null of a secret without an end, which other directories send; an absent date may be one in the past.
    secretExpirationDate: date({ nullable: 'stated', laterMeans: 'secretRotated' }),
    createdAt: date({ nullable: 'counted', pastOnly: true }),
  },
  identifiedBy: 'guid',
  self: { role: 'roleName' },
})
