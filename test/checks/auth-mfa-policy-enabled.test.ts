import { expect, it } from 'vitest'
import { authMfaPolicyEnabled as check } from '../../src/checks/auth-mfa-policy-enabled.ts'
import type { FakeMirror } from '../evaluate/support/fake-mirror.ts'
import { brief, evaluator } from './support/evaluator.ts'
import { settings, withoutSsoSettings } from './support/facts.ts'

it.each([
  [true, []],
  [false, ['authentication-settings high']],
])('evaluates a policy of mfaEnabled %s', async (mfaEnabled, expected) => {
  const result = await evaluator(check, (mirror) => mirror.put('authentication-settings', settings({ mfaEnabled })))
  expect(brief(result)).toEqual(expected)
  expect(result.population).toBe(1)
})

it('reports that the policy of a tenant without SSO may be a placeholder, and fails by default', async () => {
  const { failures } = await evaluator(check, (mirror) => mirror.put('authentication-settings', withoutSsoSettings()))
  expect(failures[0]?.message).toContain('placeholder')
  expect(failures[0]?.evidence).toMatchObject({ mfaEnabled: false, providerType: null, placeholder: true })
})

it('cannot evaluate the placeholder with withoutSso unknown, and resolves only findings about it', async () => {
  const options = { withoutSso: 'unknown' }
  const fill = (mirror: FakeMirror) => mirror.put('authentication-settings', withoutSsoSettings())
  const result = await evaluator(check, fill, { options })
  expect(result).toMatchObject({ failures: [], notEvaluated: 1 })
  expect(await result.scope('authentication-settings', { placeholder: true })).toBe('accepted')
  expect(await result.scope('authentication-settings', { placeholder: false })).toBe('not_evaluated')
})

it.each([{ ssoEnabled: true }, { providerType: 'Saml' }, { tenantName: 'acme' }])(
  'fails for a policy that is off beside %o, whatever the option withoutSso',
  async (fields) => {
    const fill = (mirror: FakeMirror) => mirror.put('authentication-settings', { ...withoutSsoSettings(), ...fields })
    const result = await evaluator(check, fill, { options: { withoutSso: 'unknown' } })
    expect(brief(result)).toEqual(['authentication-settings high'])
    expect(result.failures[0]?.message).not.toContain('placeholder')
  },
)

it('cannot evaluate settings that are not there', async () => {
  expect(await evaluator(check, () => {})).toMatchObject({ failures: [], notEvaluated: 1 })
})
