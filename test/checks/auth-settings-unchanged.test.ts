import { expect, it } from 'vitest'
import { authSettingsUnchanged as check } from '../../src/checks/auth-settings-unchanged.ts'
import { dayMs } from '../../src/model/time.ts'
import { evaluator, itFinds } from './support/evaluator.ts'
import { now, settings } from './support/facts.ts'

const present = (fields: Record<string, unknown> = {}) => ({ 'authentication-settings': [settings(fields)] })

const changed = (...changes: readonly (readonly [field: string, before: unknown, after: unknown])[]) => ({
  changes: changes.map(([field, before, after], n) => {
    const of = { resource: 'authentication-settings', key: '0', kind: 'changed', requestId: `req-${n + 1}` } as const
    return { ...of, id: n + 1, at: now - 10 * dayMs + n + 1, field, before, after }
  }),
})

itFinds(check, [
  ['settings that never changed', present(), [], { population: 5 }],
  ['a lost policy', present({ mfaEnabled: false }), ['mfaEnabled critical'], changed(['mfaEnabled', true, false])],
  ['a gained policy', present(), ['mfaEnabled medium'], changed(['mfaEnabled', false, true])],
  [
    'lost single sign-on',
    present({ ssoEnabled: false }),
    ['ssoEnabled critical'],
    changed(['ssoEnabled', true, false]),
  ],
  [
    'no more enforcing',
    present({ ssoEnforced: false }),
    ['ssoEnforced critical'],
    changed(['ssoEnforced', true, false]),
  ],
  [
    'another provider',
    present({ providerType: 'Oidc' }),
    ['providerType medium'],
    {
      ...changed(['providerType', 'Saml', 'Oidc']),
      evidence: { present: 'Oidc', expected: 'Saml', changes: [{ requestId: 'req-1' }] },
    },
  ],
  ['what went and came back', present(), [], changed(['mfaEnabled', true, false], ['mfaEnabled', false, true])],
  [
    'what changed twice',
    present({ providerType: null }),
    ['providerType medium'],
    changed(['providerType', 'Saml', 'Oidc'], ['providerType', 'Oidc', null]),
  ],
])

const against = (baseline: Record<string, unknown>) => ({ options: { baseline } })

itFinds(check, [
  ['the baseline', present(), [], against({ mfaEnabled: true })],
  ['a policy that the baseline does not have', present(), ['mfaEnabled medium'], against({ mfaEnabled: false })],
  ['a policy that it has', present({ mfaEnabled: false }), ['mfaEnabled critical'], against({ mfaEnabled: true })],
  ['a provider', present(), ['providerType medium'], against({ providerType: null })],
  ['texts as in the baseline', present(), [], against({ providerType: 'Saml', tenantName: 'acme' })],
  [
    'a change that the baseline allows',
    present({ mfaEnabled: false }),
    [],
    { ...changed(['mfaEnabled', true, false]), ...against({ mfaEnabled: false }) },
  ],
])

it('measures drift from the state an operator accepted, with time and reason', async () => {
  const changes = changed(['providerType', 'Saml', 'Ldap'])
  const accept = (state: unknown) =>
    evaluator(check, present({ providerType: 'Ldap' }), {
      ...changes,
      accepted: { providerType: { state, reason: 'Agreed' } },
    })
  const agreed = await accept('Ldap')
  expect([agreed.failures, agreed.scope('providerType'), agreed.scope('mfaEnabled')]).toEqual([
    [],
    'accepted',
    'evaluated',
  ])
  const { failures } = await accept('Oidc')
  const evidence = { expected: 'Oidc', acceptedFor: 'Agreed', acceptedAt: '2026-03-01T12:00:00.000Z' }
  expect(failures[0]?.evidence).toMatchObject(evidence)
})
