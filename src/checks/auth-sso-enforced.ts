import { ok } from '../evaluate/check.ts'
import { defineCheck } from './support/define-check.ts'
import { factsOf } from './support/records.ts'
import { settingsEvaluator } from './support/settings.ts'

export const authSsoEnforced = defineCheck({
  id: 'auth-sso-enforced',
  title: 'Single sign-on is enabled and enforced',
  failing: 'Single sign-on is not enforced',
  description:
    'ssoEnabled and ssoEnforced are both true. The severity is high where single sign-on is enabled and not enforced, because people can bypass a sign-on that is believed to be in force. It is low where single sign-on is not enabled, because that is a known state; switching it off is a critical finding of auth-settings-unchanged until it is accepted.',
  risk: 'Users can sign in without the identity provider, its policies and its off-boarding.',
  remediation: 'Configure single sign-on for the tenant and enforce it.',
  alert: 'SsoNotEnforced',
  frameworks: 'soc2 CC6.1 CC6.6, iso27001 A.8.5, nist80053 CM-6 IA-2, pcidss 8.5.1, cis 5.6 6.7',
  severities: ['low', 'high'],
  evaluates: 'authentication-settings',
  notEvaluatedWhere: 'the settings are not in the mirror',
  entity: { type: 'authentication-settings', isRecord: false },
  material: ['ssoEnabled', 'ssoEnforced'],
  begin: () =>
    settingsEvaluator((settings) => {
      const isEnabled = settings.fields['ssoEnabled'] === true
      if (isEnabled && settings.fields['ssoEnforced'] === true) return ok
      return {
        kind: 'fails',
        severity: isEnabled ? 'high' : 'low',
        message: isEnabled
          ? 'Single sign-on is enabled but not enforced: users can sign in without it (ssoEnforced is false).'
          : 'Single sign-on is not enabled (ssoEnabled is false).',
        evidence: factsOf(settings, ['ssoEnabled', 'ssoEnforced', 'providerType']),
      }
    }),
})
