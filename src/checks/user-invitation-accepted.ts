import * as z from 'zod'
import { isKnownWord } from '../model/text/words.ts'
import { dayMs } from '../model/time.ts'
import { defineCheck } from './support/define-check.ts'
import { counted, identifiedFacts, onDate, timeOf } from './support/records.ts'
import { days, isOlderThan, olderFrom } from './support/time-limits.ts'

export const userInvitationAccepted = defineCheck({
  id: 'user-invitation-accepted',
  title: 'Every invitation is accepted within 14 days',
  failing: ['invitation has not been accepted in time', 'invitations have not been accepted in time'],
  description:
    'No user is in state Invited for longer than `days` since createdAt; `highDays` raises the severity. A user who is that old and in a state outside `users.knownStates` (Active, Invited) is not evaluated, because the API does not specify other states; every known state except Invited means that the invitation was accepted or the account closed.',
  risk: 'Anybody who reads the mailbox can take over the account of an open invitation.',
  remediation: 'Ask the person to accept, or withdraw the invitation.',
  alert: 'InvitationStale',
  frameworks: 'soc2 CC6.2, iso27001 A.5.16, nist80053 AC-2, pcidss 8.2.4, cis 6.1',
  severities: ['medium', 'high'],
  evaluates: 'users',
  notEvaluatedWhere: 'the state is not in users.knownStates',
  timeBased: true,
  material: ['createdAt', 'roleName'],
  options: z.strictObject({ days: days(14), highDays: days(30) }),
  ruleContext: ({ knownUserStates }) => [...knownUserStates].sort(),
  begin({ days: most, highDays }, { now, knownUserStates: known }) {
    const [mostMs, highMs] = [most * dayMs, highDays * dayMs]
    const leastMs = Math.min(mostMs, highMs)
    return {
      record(user) {
        const { state } = user.fields
        const isInvited = state === 'Invited'
        if (!isInvited && isKnownWord(known, state)) return null
        const since = timeOf(user, 'createdAtMs')
        if (!isOlderThan(since, leastMs, now))
          return { kind: 'ok', until: olderFrom(since, leastMs), ...(!isInvited && { outside: true }) }
        if (!isInvited) return { kind: 'not_evaluated' }
        const isHigh = isOlderThan(since, highMs, now)
        const threshold = isHigh ? highDays : most
        return {
          kind: 'fails',
          severity: isHigh ? 'high' : 'medium',
          message: `User ${user.key} was invited on ${onDate(since)} and has not accepted within ${counted(threshold, 'day')}.`,
          evidence: {
            ...identifiedFacts(user, ['userId', 'state', 'createdAt', 'roleName']),
            thresholdDays: threshold,
          },
          ...(!isHigh && { until: olderFrom(since, highMs) }),
        }
      },
    }
  },
})
