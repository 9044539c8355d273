import { userInvitationAccepted as check } from '../../src/checks/user-invitation-accepted.ts'
import { dayMs } from '../../src/model/time.ts'
import { itFinds } from './support/evaluator.ts'
import { iso, now, user } from './support/facts.ts'

const being = (state: string, ageMs: number) => ({ users: [user({ state, createdAt: iso(now - ageMs) })] })
const knownStates = ['Active', 'Invited', 'Disabled']

itFinds(check, [
  ['an invitation that has been open for 14 days', being('Invited', 14 * dayMs), []],
  ['a millisecond more than 14 days', being('Invited', 14 * dayMs + 1), ['1 medium']],
  ['30 days', being('Invited', 30 * dayMs), ['1 medium']],
  ['a millisecond more than 30 days', being('Invited', 30 * dayMs + 1), ['1 high']],
  ['3 days where 2 are allowed', being('Invited', 3 * dayMs), ['1 medium'], { options: { days: 2 } }],
  ['minus a day', being('Invited', -dayMs), []],
  ['an active user', being('Active', 3000 * dayMs), [], { population: 0 }],
  [
    'a user in a state nobody knows, after 14 days',
    being('Pending', 15 * dayMs),
    [],
    { population: 1, notEvaluated: 1, scope: { 1: 'not_evaluated' } },
  ],
  ['such a user before', being('Pending', 13 * dayMs), [], { population: 0, scope: { 1: 'evaluated' } }],
  ['a user in another known state', being('Disabled', 15 * dayMs), [], { knownStates, population: 0 }],
])
