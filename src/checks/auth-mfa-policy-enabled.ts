import * as z from 'zod'
import { ok } from '../evaluate/check.ts'
import { defineCheck } from './support/define-check.ts'
import { factsOf } from './support/records.ts'
import { isWithoutSso, settingsEvaluator } from './support/settings.ts'

const options = z.strictObject({
  /** How to read `mfaEnabled: false` of a tenant without SSO: as its policy (`fail`) or as a placeholder (`unknown`). */
  withoutSso: z.enum(['fail', 'unknown']).default('fail'),
})

export const authMfaPolicyEnabled = defineCheck({
  id: 'auth-mfa-policy-enabled',
  title: 'The tenant demands multi-factor authentication',
  failing: 'The tenant does not demand multi-factor authentication',
  description:
    'mfaEnabled, the tenant-wide multi-factor policy, is true. A tenant without SSO sends it as false together with all other settings, perhaps as a placeholder: `withoutSso` decides whether that is `fail` or `unknown`.',
  risk: 'No user needs a second factor: a stolen password is enough.',
  remediation: "Switch on the multi-factor policy in the tenant's authentication settings.",
  alert: 'MfaPolicyOff',
  frameworks: 'soc2 CC6.1 CC6.6, iso27001 A.8.5, nist80053 CM-6 IA-2(1) IA-2(2), pcidss 8.4.1 8.4.2, cis 6.3 6.5',
  severities: ['high'],
  evaluates: 'authentication-settings',
  notEvaluatedWhere: 'the settings are not in the mirror, or the tenant has no SSO and withoutSso is unknown',
  entity: { type: 'authentication-settings', isRecord: false },
  material: ['mfaEnabled', 'ssoEnabled', 'ssoEnforced'],
  options,
  begin: ({ withoutSso }) =>
    settingsEvaluator((settings) => {
      // A change of the option resolves only findings about the placeholder, not those about a policy that was off.
      if (withoutSso === 'unknown' && isWithoutSso(settings)) return { kind: 'not_evaluated', accepts: 'placeholder' }
      if (settings.fields['mfaEnabled'] === true) return ok
      return {
        kind: 'fails',
        severity: 'high',
        message: isWithoutSso(settings)
          ? 'The tenant does not demand multi-factor authentication (mfaEnabled is false; a tenant without SSO always sends that, so it may be a placeholder).'
          : 'The tenant does not demand multi-factor authentication (mfaEnabled is false).',
        evidence: {
          ...factsOf(settings, ['mfaEnabled', 'ssoEnabled', 'ssoEnforced', 'providerType', 'tenantName']),
          placeholder: isWithoutSso(settings),
        },
      }
    }),
})
