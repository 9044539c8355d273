import { expect, it } from 'vitest'
import { isEnrolled } from '../../src/checks/support/enrolment.ts'
import { userMfaEnrolled as check } from '../../src/checks/user-mfa-enrolled.ts'
import { brief, evaluator } from './support/evaluator.ts'
import { settings, user, withoutSsoSettings } from './support/facts.ts'

it.each([
  ['an enrolled user', {}, {}, []],
  ['an active user without the flag', { mfaStatus: false }, {}, ['1 high']],
  ['an invited user without the flag', { mfaStatus: false, state: 'Invited' }, {}, ['1 low']],
  ['a user in a state nobody knows', { mfaStatus: false, state: 'Suspended' }, {}, ['1 high']],
  ['a user under another meaning', { mfaStatus: true, mfaAction: false }, { enrolledWhen: 'mfaAction' }, ['1 high']],
  [
    'a user under a meaning that turns a flag round',
    { mfaAction: true },
    { enrolledWhen: 'not mfaAction' },
    ['1 high'],
  ],
  ['a user under a meaning that turns the other one round', {}, { enrolledWhen: 'not mfaStatus' }, ['1 high']],
])('evaluates %s under an enforcing policy', async (_case, fields, options, expected) => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) => {
    mirror.put('authentication-settings', settings())
    mirror.put('users', user(fields))
  }
  const result = await evaluator(check, fill, { options })
  expect(brief(result)).toEqual(expected)
})

it('does not apply while the policy is off, and still counts the users', async () => {
  const result = await evaluator(check, (mirror) => {
    mirror.put('authentication-settings', settings({ mfaEnabled: false }))
    mirror.put('users', user({ mfaStatus: false }))
  })
  expect(result).toMatchObject({ applicable: false, population: 1, failures: [] })
})

it('cannot evaluate anybody without the settings', async () => {
  const result = await evaluator(check, (mirror) => mirror.put('users', user({ mfaStatus: false })))
  expect(result).toMatchObject({ applicable: true, notEvaluated: 1, failures: [] })
  expect(await result.scope('1')).toBe('not_evaluated')
})

it('shows user and policy as evidence and names no person', async () => {
  const { failures } = await evaluator(check, (mirror) => {
    mirror.put('authentication-settings', settings())
    mirror.put('users', user({ mfaStatus: false }))
  })
  expect(failures[0]?.evidence).toMatchObject({
    userId: 1,
    mfaStatus: false,
    policy: { mfaEnabled: true, requestId: 'req-1' },
  })
  expect(JSON.stringify(failures)).not.toMatch(/Ada|Lovelace|example\.com/)
})

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
  const table = [
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ] as const
  expect(table.map(([status, action]) => isEnrolled(rule, status, action))).toEqual(expected)
})

it('states that the interpretation is assumed until it is set', async () => {
  const evidenceUnder = async (options: Record<string, unknown>) => {
    const { failures } = await evaluator(
      check,
      (mirror) => {
        mirror.put('authentication-settings', settings())
        mirror.put('users', user({ mfaStatus: false }))
      },
      { options },
    )
    return failures[0]?.evidence
  }
  expect(check.assumption?.({})).toContain('mfaStatus true means enrolled')
  expect(await evidenceUnder({})).toMatchObject({ enrolledWhen: 'mfaStatus', enrolledWhenAssumed: true })
  expect(check.assumption?.({ enrolledWhen: 'mfaStatus' })).toBeNull()
  expect(await evidenceUnder({ enrolledWhen: 'mfaStatus' })).toMatchObject({ enrolledWhenAssumed: false })
})

it.each([
  ['fail', { applicable: false, notEvaluated: 0 }, 'not_applicable'],
  ['unknown', { applicable: true, notEvaluated: 1, failures: [] }, 'not_evaluated'],
])(
  'takes the policy of a tenant without SSO for what the check of it does (%s)',
  async (withoutSso, expected, scope) => {
    const result = await evaluator(
      check,
      (mirror) => {
        mirror.put('authentication-settings', withoutSsoSettings())
        mirror.put('users', user({ mfaStatus: false }))
      },
      { others: { 'auth-mfa-policy-enabled': { withoutSso } } },
    )
    expect(result).toMatchObject(expected)
    expect(await result.scope('1')).toBe(scope)
  },
)

it('refuses a rule that is not one of the list', () => {
  expect(check.options.safeParse({ enrolledWhen: 'mfaStatus == true' }).success).toBe(false)
})
