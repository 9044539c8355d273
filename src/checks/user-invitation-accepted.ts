import * as z from 'zod'
import { defineCheck, maxUnevaluatedIds } from '../evaluate/check.ts'
import { identityOf } from '../evaluate/findings/identity.ts'
import { toIso } from '../model/dates.ts'
import { dayMs } from '../model/durations.ts'
import { formerUsers, invited, invitedBefore, invitedSince } from './support/invited-since.ts'
import { amongFew, factsOf, firstKeys, mapBatches, timeOf } from './support/records.ts'
import { days, isOlderThan, notOlderThan, olderThan } from './support/time-limits.ts'
import { counted, onDate } from './support/words.ts'

const options = z.strictObject({
  days: days(14),
  highDays: days(30),
})

export const userInvitationAccepted = defineCheck({
  id: 'user-invitation-accepted',
  title: 'Every invitation is accepted within 14 days',
  description:
    'No user is in state Invited for longer than `days` since createdAt, or an earlier one of the same invitation and e-mail; `highDays` raises the severity. A user who is that old and in a state outside `users.knownStates` (Active, Invited) is not evaluated, because the API does not specify other states; every known state except Invited means that the invitation was accepted or the account closed.',
  risk: 'Anybody who reads the mailbox can take over the account of an open invitation.',
  remediation: 'Ask the person to accept, or withdraw the invitation.',
  alert: {
    name: 'InvitationStale',
    summary: { one: 'invitation was not accepted in time', other: 'invitations were not accepted in time' },
  },
  frameworks: ['soc2 CC6.2', 'iso27001 A.5.16', 'nist80053 AC-2', 'pcidss 8.2.4', 'cis 6.1'],
  severities: ['medium', 'high'],
  evaluates: 'users',
  needs: [],
  notEvaluatedWhere: 'the state is not in users.knownStates',
  entity: { type: 'user', isRecord: true, hasPlainIds: true },
  timeBased: true,
  material: ['createdAt', 'roleName'],
  options,
  ruleContext: ({ knownUserStates }) => [...knownUserStates].sort(),
  async load(reader, options, now, { knownUserStates }) {
    const limit = Math.min(options.days, options.highDays) * dayMs
    const old = olderThan('createdAtMs', limit, now)
    const other = { field: 'state', notIn: knownUserStates } as const
    const undecided = { all: [other, old] }
    // The number of users by state is stored; few tenants need to look at dates.
    const anyOther = (await reader.count('users', { all: [other] })) > 0
    const young = notOlderThan('createdAtMs', limit, now)
    const isOld = (since: number) => isOlderThan(since, limit, now)
    const moved = anyOther
      ? await invitedBefore(reader, { all: [other, young] }, knownUserStates, isOld)
      : new Set<string>()
    const notEvaluated = anyOther ? (await reader.count('users', undecided)) + moved.size : 0
    const former = await formerUsers(reader)
    // Few tenants change the date of an invitation.
    const candidates = reader.select('users', { all: former.size === 0 ? [invited, old] : [invited] })
    const isUndecided = amongFew(reader, 'users', undecided)
    return {
      population: (await reader.count('users', { all: [invited] })) + notEvaluated,
      notEvaluated,
      unevaluated:
        notEvaluated === 0
          ? []
          : [...moved, ...(await firstKeys(reader, 'users', undecided))].slice(0, maxUnevaluatedIds),
      candidates: mapBatches(candidates, (user) => ({ user, since: invitedSince(user, former, knownUserStates) })),
      scope: async (id) => (moved.has(id) || (await isUndecided(id)) ? 'not_evaluated' : 'evaluated'),
    }
  },
  evaluate({ user, since }, options, now) {
    const isHigh = isOlderThan(since, options.highDays * dayMs, now)
    if (!isHigh && !isOlderThan(since, options.days * dayMs, now)) return null
    const threshold = isHigh ? options.highDays : options.days
    return {
      entityId: user.key,
      severity: isHigh ? 'high' : 'medium',
      message: `User ${user.key} was invited on ${onDate(since)} and has not accepted within ${counted(threshold, 'day')}.`,
      evidence: {
        ...factsOf(user, ['userId', 'state', 'createdAt', 'roleName']),
        ...(since < timeOf(user, 'createdAtMs') && { firstCreatedAt: toIso(since) }),
        ...identityOf(user),
        thresholdDays: threshold,
      },
    }
  },
})
