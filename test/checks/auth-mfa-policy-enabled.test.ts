import { authMfaPolicyEnabled as check } from '../../src/checks/auth-mfa-policy-enabled.ts'
import { itFinds } from './support/evaluator.ts'
import { settings, withoutSsoSettings } from './support/facts.ts'

const being = (fields: object) => ({ 'authentication-settings': [fields as Record<string, unknown>] })
const fails = ['authentication-settings high']
const options = { withoutSso: 'unknown' }
const besides = [{ ssoEnabled: true }, { providerType: 'Saml' }, { tenantName: 'acme' }]

itFinds(check, [
  ['a policy', being(settings()), [], { population: 1 }],
  ['a policy that is off', being(settings({ mfaEnabled: false })), fails, { population: 1 }],
  [
    'the policy of a tenant without SSO, which may be a placeholder',
    being(withoutSsoSettings()),
    fails,
    { message: /placeholder/, evidence: { mfaEnabled: false, providerType: null, placeholder: true } },
  ],
  [
    'the placeholder with withoutSso unknown',
    being(withoutSsoSettings()),
    [],
    { options, notEvaluated: 1, scope: { 'authentication-settings': 'not_evaluated' } },
  ],
  ...besides.map(
    (fields) =>
      [
        `a policy that is off beside ${Object.keys(fields)}, whatever the option withoutSso`,
        being({ ...withoutSsoSettings(), ...fields }),
        fails,
        { options, message: /^(?!.*placeholder)/ },
      ] as const,
  ),
  ['settings that are not there', {}, [], { notEvaluated: 1 }],
])
