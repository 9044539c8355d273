import type { SettingsTruth, TenantName } from '../truth.ts'

/** Authentication settings: SSO on but not enforced in the primary tenant, none at all in the second. */
export function seedSettings(tenant: TenantName, problems: boolean): SettingsTruth {
  if (problems && tenant === 'second') {
    return { ssoEnabled: false, ssoEnforced: false, providerType: null, tenantName: null, mfaEnabled: false, raw: {} }
  }
  return {
    ssoEnabled: true,
    ssoEnforced: !problems,
    providerType: 'AzureAD',
    tenantName: `${tenant}.example`,
    mfaEnabled: true,
    raw: {},
  }
}
