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

const change = (id: number, field: string, before: unknown, after: unknown) =>
  ({ id, resource: 'users', key: '1', at: now, kind: 'changed', field, before, after, requestId: null }) as const

it.each([
  ['the same e-mail', 'createdAt', ['1 medium']],
  ['another e-mail since', 'email', []],
])('counts from the first date of an invitation with %s', async (_, changedLast, expected) => {
  const result = await evaluator(check, (mirror) => {
    mirror.put('users', user({ state: 'Invited', createdAt: iso(now - dayMs) }), { firstSeenAt: 0 })
    mirror.changes.push(
      change(1, 'createdAt', iso(now - 20 * dayMs), iso(now - dayMs)),
      change(2, changedLast, iso(now - 2 * dayMs), iso(now - dayMs)),
    )
  })
  expect(brief(result)).toEqual(expected)
})

it.each([
  ['accepted it, and was invited again', [change(1, 'state', 'Active', 'Invited')], []],
  ['was in an unknown state since', [change(1, 'state', 'Pending', 'Invited')], ['1 medium']],
  [
    'was closed later',
    [change(2, 'state', 'Invited', 'Active'), change(3, 'state', 'Active', 'Invited')],
    ['1 medium'],
  ],
])('counts from the former date of a user who %s', async (_, states, expected) => {
  const dates = change(2, 'createdAt', iso(now - 20 * dayMs), iso(now - dayMs))
  const changes = [dates, ...states].toSorted((a, b) => a.id - b.id)
  const result = await evaluator(check, (mirror) => {
    mirror.put('users', user({ state: 'Invited', createdAt: iso(now - dayMs) }), { firstSeenAt: 0 })
    mirror.changes.push(...changes)
  })
  expect(brief(result)).toEqual(expected)
})

const was = (id: number, field: string, before: unknown, after: unknown) => ({
  ...change(id, field, before, after),
  at: now + id,
})
const [old, young] = [iso(now - 20 * dayMs), iso(now - dayMs)]
const [mine, other] = ['ada@example.com', 'eve@example.com']

it.each([
  [
    'absent for a moment',
    [was(1, 'email', mine, null), { ...was(1, 'createdAt', old, young), id: 2 }, was(3, 'email', null, mine)],
    ['1 medium'],
  ],
  [
    'another one and back after the date moved',
    [was(1, 'createdAt', old, young), was(2, 'email', mine, other), was(3, 'email', other, mine)],
    ['1 medium'],
  ],
  [
    'another one while the date moved',
    [was(1, 'email', mine, other), was(2, 'createdAt', old, young), was(3, 'email', other, mine)],
    ['1 medium'],
  ],
  [
    'written in other letters',
    [was(1, 'createdAt', old, young), was(2, 'email', mine.toUpperCase(), mine)],
    ['1 medium'],
  ],
  ['another one at the former date', [was(1, 'createdAt', old, young), was(2, 'email', other, mine)], []],
  [
    'another one until the answer that moved the date',
    [was(1, 'email', other, mine), { ...was(1, 'createdAt', old, young), id: 2 }],
    [],
  ],
])('counts from the dates of the present e-mail, which was %s', async (_, changes, expected) => {
  const result = await evaluator(check, (mirror) => {
    mirror.put('users', user({ state: 'Invited', createdAt: young, email: mine }), { firstSeenAt: 0 })
    mirror.changes.push(...changes)
  })
  expect(brief(result)).toEqual(expected)
})

it.each([
  ['absent', [null, '', ' ']],
  ['written with characters that nobody sees', [`\u200b${mine} `, mine.toUpperCase()]],
])('counts from the first date while the e-mail is %s', async (_, present) => {
  for (const email of present) {
    const result = await evaluator(check, (mirror) => {
      mirror.put('users', user({ state: 'Invited', createdAt: young, email }), { firstSeenAt: 0 })
      mirror.changes.push(was(1, 'email', mine, email), { ...was(1, 'createdAt', old, young), id: 2 })
    })
    expect(brief(result)).toEqual(['1 medium'])
  }
})

it.each([
  ['was invited', [was(1, 'state', 'Invited', 'Pending'), { ...was(1, 'createdAt', old, young), id: 2 }], 1],
  ['was in that state', [was(1, 'createdAt', old, young)], 1],
  ['was active', [was(1, 'createdAt', old, young), was(2, 'state', 'Active', 'Pending')], 0],
])(
  'does not know whether a user in an unknown state accepted, whose date moved when it %s',
  async (_, changes, notEvaluated) => {
    const result = await evaluator(check, (mirror) => {
      mirror.put('users', user({ state: 'Pending', createdAt: young, email: mine }), { firstSeenAt: 0 })
      mirror.changes.push(...changes)
    })
    expect(result).toMatchObject({ population: notEvaluated, notEvaluated, failures: [] })
    expect(await result.scope('1', {})).toBe(notEvaluated === 1 ? 'not_evaluated' : 'evaluated')
  },
)

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
