import { date, flag, id, integer, text } from '../model/fields.ts'
import { defineResource } from '../model/resource.ts'

/**
 * docs/internals/api.md#user: e-mails are unique. The feed contains new users only; other changes require a full sync. Waivers
 * identify a user by e-mail address and creation time.
 */
export const users = defineResource({
  name: 'users',
  nouns: ['user', 'users'],
  kind: 'feed',
  path: '/api/public/users',
  permission: 'Api_Users_Read',
  probe: 2,
  schedule: { incremental: '*/5 * * * *', full: '17 * * * *' },
  maxPageSize: null,
  fields: {
    userId: id.integer(),
    firstName: text({ personal: true }),
    lastName: text({ personal: true }),
    email: text({ strict: true, nullable: 'counted', personal: true }),
    state: text({ strict: true, known: { setting: 'users.knownStates', words: ['Active', 'Invited'] } }),
    mfaStatus: flag({ strict: true }),
    mfaAction: flag({ strict: true }),
    roleId: integer({ nullable: true }),
    roleName: text({ strict: true, optional: true }),
    createdAt: date({ pastOnly: true }),
  },
  gauges: [
    {
      kind: 'count',
      name: 'tenantwatch_users',
      help: 'Users by state, those of users.knownStates and "other" for the rest, and by the two multi-factor flags as the tenant sends them, with a series for each combination; absent before the first complete full sync.',
      by: { state: { setting: 'users.knownStates' }, mfaStatus: true, mfaAction: true },
    },
  ],
  orderedBy: 'createdAt',
  removal: 'confirm',
  lookUp: {
    path: '/api/public/users/{id}',
    states: 'roleId',
    until: 'roleName',
  },
  unique: { field: 'email', event: 'duplicate_email' },
})
