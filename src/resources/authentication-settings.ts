import { flag, text } from '../model/fields.ts'
import { defineResource } from '../model/resource.ts'

/** docs/internals/api.md#authentication-settings: without SSO, provider and tenant name are null or absent. */
export const authenticationSettings = defineResource({
  name: 'authentication-settings',
  nouns: ['authentication settings', 'authentication settings'],
  view: 'settings',
  kind: 'whole',
  path: '/api/public/authentication-settings',
  permission: 'Api_AuthSettings_Read',
  probe: 1,
  schedule: { full: '*/5 * * * *' },
  fields: {
    ssoEnabled: flag({ strict: true }),
    ssoEnforced: flag({ strict: true }),
    providerType: text({ strict: true, nullable: true, requiredWith: 'ssoEnabled' }),
    tenantName: text({ strict: true, nullable: true, requiredWith: 'ssoEnabled' }),
    mfaEnabled: flag({ strict: true }),
  },
  gauges: [
    {
      kind: 'flag',
      name: 'tenantwatch_mfa_policy_enabled',
      help: '1 when the tenant-wide multi-factor policy is on, 0 when not; absent until first read.',
      field: 'mfaEnabled',
    },
    {
      kind: 'flag',
      name: 'tenantwatch_sso_enabled',
      help: '1 when single sign-on is enabled, 0 when not; absent until first read.',
      field: 'ssoEnabled',
    },
    {
      kind: 'flag',
      name: 'tenantwatch_sso_enforced',
      help: '1 when single sign-on is enforced, 0 when not; absent until first read.',
      field: 'ssoEnforced',
    },
  ],
})
