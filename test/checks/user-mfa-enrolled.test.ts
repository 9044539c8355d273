import { expect, it } from 'vitest'
import { isEnrolled } from '../../src/checks/support/enrolment.ts'
import { userMfaEnrolled as check } from '../../src/checks/user-mfa-enrolled.ts'
import { itFinds } from './support/evaluator.ts'
import { settings, user, withoutSsoSettings } from './support/facts.ts'

const under = (policy: Record<string, unknown>, fields: Record<string, unknown> = { mfaStatus: false }) => ({
  'authentication-settings': [policy],
  users: [user(fields)],
})
const enforced = (fields: Record<string, unknown>) => under(settings(), fields)
const rule = (enrolledWhen: string) => ({ options: { enrolledWhen } })
const withoutSso = (meaning: string) => ({ others: { 'auth-mfa-policy-enabled': { withoutSso: meaning } } })

itFinds(check, [
  ['an enrolled user', enforced({}), []],
  [
    'an active user without the flag',
    enforced({ mfaStatus: false }),
    ['1 high'],
    {
      evidence: {
        ...{ userId: 1, mfaStatus: false, policy: { mfaEnabled: true, requestId: 'req-1' } },
        ...{ enrolledWhen: 'mfaStatus', enrolledWhenAssumed: true },
      },
    },
  ],
  ['an invited user without the flag', enforced({ mfaStatus: false, state: 'Invited' }), ['1 low']],
  ['a user in a state nobody knows', enforced({ mfaStatus: false, state: 'Suspended' }), ['1 high']],
  ['a user under another meaning', enforced({ mfaStatus: true, mfaAction: false }), ['1 high'], rule('mfaAction')],
  [
    'a user under a meaning that was set',
    enforced({ mfaStatus: false }),
    ['1 high'],
    { ...rule('mfaStatus'), evidence: { enrolledWhenAssumed: false } },
  ],
  ['users while the policy is off', under(settings({ mfaEnabled: false })), [], { isApplicable: false, population: 1 }],
  [
    'users without the settings',
    { users: [user({ mfaStatus: false })] },
    [],
    { isApplicable: true, notEvaluated: 1, scope: { 1: 'not_evaluated' } },
  ],
  [
    'the policy of a tenant without SSO, which means off',
    under(withoutSsoSettings()),
    [],
    { ...withoutSso('fail'), isApplicable: false, scope: { 1: 'not_applicable' } },
  ],
  [
    'the policy of a tenant without SSO, which means unknown',
    under(withoutSsoSettings()),
    [],
    { ...withoutSso('unknown'), isApplicable: true, notEvaluated: 1, scope: { 1: 'not_evaluated' } },
  ],
])

it.each([
  ['mfaStatus', [true, true, false, false]],
  ['mfaAction', [true, false, true, false]],
  ['mfaStatus and mfaAction', [true, false, false, false]],
  ['mfaStatus or mfaAction', [true, true, true, false]],
  ['mfaStatus and not mfaAction', [false, true, false, false]],
  ['not mfaAction', [false, true, false, true]],
  ['not mfaStatus', [false, false, true, true]],
  ['not mfaStatus and mfaAction', [false, false, true, false]],
  ['not mfaStatus and not mfaAction', [false, false, false, true]],
  ['mfaStatus or not mfaAction', [true, true, false, true]],
  ['not mfaStatus or mfaAction', [true, false, true, true]],
  ['not mfaStatus or not mfaAction', [false, true, true, true]],
  ['mfaStatus equals mfaAction', [true, false, false, true]],
  ['mfaStatus differs from mfaAction', [false, true, true, false]],
] as const)('interprets enrolledWhen "%s" literally', (rule, expected) => {
  const both = [true, false]
  const found = both.flatMap((status) => both.map((action) => isEnrolled(rule, status, action)))
  expect(found).toEqual(expected)
})

it('states that the interpretation is assumed until it is set, and refuses a rule that is not one of the list', () => {
  expect(check.assumption?.({})).toContain('mfaStatus true means enrolled')
  expect(check.assumption?.({ enrolledWhen: 'mfaStatus' })).toBeNull()
  expect(check.options.safeParse({ enrolledWhen: 'mfaStatus == true' }).success).toBe(false)
})
