import { z } from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { factsOf } from './support/records.ts'
import { loadSettings, settingsEntityId } from './support/settings.ts'

export const authMfaPolicyEnabled = defineCheck({
  id: 'auth-mfa-policy-enabled',
  title: 'The tenant demands multi-factor authentication',
  description: 'mfaEnabled, the tenant-wide multi-factor policy, is true.',
  risk: 'No user needs a second factor: a stolen password is enough.',
  remediation: "Switch on the multi-factor policy in the tenant's authentication settings.",
  alert: { name: 'MfaPolicyOff', says: 'Multi-factor authentication not demanded' },
  severities: ['high'],
  judges: 'authentication-settings',
  needs: [],
  entity: { type: 'authentication-settings', isRecord: false, hasPlainIds: true },
  timeBased: false,
  material: ['mfaEnabled', 'ssoEnabled', 'ssoEnforced'],
  options: z.strictObject({}),
  load: loadSettings,
  evaluate(settings) {
    if (settings.fields['mfaEnabled'] === true) return null
    return {
      entityId: settingsEntityId,
      severity: 'high',
      message: 'The tenant does not demand multi-factor authentication (mfaEnabled is false).',
      evidence: factsOf(settings, ['mfaEnabled', 'ssoEnabled', 'ssoEnforced']),
    }
  },
})
