import { expect, it } from 'vitest'
import { userInvitationAccepted as check } from '../../src/checks/user-invitation-accepted.ts'
import { dayMs } from '../../src/model/durations.ts'
import { brief, evaluator, iso, now } from './support/evaluator.ts'
import { user } from './support/facts.ts'

it.each([
  ['14 days', 14 * dayMs, {}, []],
  ['a millisecond more than 14 days', 14 * dayMs + 1, {}, ['1 medium']],
  ['30 days', 30 * dayMs, {}, ['1 medium']],
  ['a millisecond more than 30 days', 30 * dayMs + 1, {}, ['1 high']],
  ['3 days where 2 are allowed', 3 * dayMs, { days: 2 }, ['1 medium']],
  ['minus a day', -dayMs, {}, []],
])('evaluates an invitation that has been open for %s', async (_age, age, options, expected) => {
  const invited = user({ state: 'Invited', createdAt: iso(now - age) })
  const result = await evaluator(check, (mirror) => mirror.put('users', invited), { options })
  expect(brief(result)).toEqual(expected)
})

it('is about invited users alone', async () => {
  const result = await evaluator(check, (mirror) => mirror.put('users', user({ createdAt: '2020-01-01T00:00:00Z' })))
  expect(result).toMatchObject({ population: 0, failures: [] })
})

it.each([
  ['Pending', 15 * dayMs, {}, 1],
  ['Pending', 13 * dayMs, {}, 0],
  ['Disabled', 15 * dayMs, { knownStates: ['Active', 'Invited', 'Disabled'] }, 0],
])(
  'does not know whether a user in state %s, created %i ms ago, has accepted',
  async (state, age, known, notEvaluated) => {
    const other = user({ state, createdAt: iso(now - age) })
    const result = await evaluator(check, (mirror) => mirror.put('users', other), known)
    expect(result).toMatchObject({ population: notEvaluated, notEvaluated, failures: [] })
    expect(await result.scope('1', {})).toBe(notEvaluated === 1 ? 'not_evaluated' : 'evaluated')
  },
)
