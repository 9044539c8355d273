import * as z from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { identityOf } from '../evaluate/findings/identity.ts'
import { isoMs, toIso } from '../model/dates.ts'
import { dayMs } from '../model/durations.ts'
import { knownWord } from '../model/text/words.ts'
import type { ChangeRow, MirrorRecord } from '../store/records/query.ts'
import { evidenceFor } from './frameworks.ts'
import { factsOf, timeOf } from './support/records.ts'
import { days, isOlderThan, olderFrom } from './support/time-limits.ts'
import { counted, onDate, withoutUnseen } from './support/words.ts'

const options = z.strictObject({
  days: days(14),
  highDays: days(30),
})

export const userInvitationAccepted = defineCheck({
  id: 'user-invitation-accepted',
  title: 'Every invitation is accepted within 14 days',
  failing: ['invitation has not been accepted', 'invitations have not been accepted'],
  description:
    'No user is in state Invited for longer than `days` since createdAt, or an earlier one of the same invitation and e-mail; `highDays` raises the severity. A user who is that old and in a state outside `users.knownStates` (Active, Invited) is not evaluated, because the API does not specify other states; every known state except Invited means that the invitation was accepted or the account closed.',
  risk: 'Anybody who reads the mailbox can take over the account of an open invitation.',
  remediation: 'Ask the person to accept, or withdraw the invitation.',
  alert: 'InvitationStale',
  frameworks: evidenceFor({ soc2: 'CC6.2', iso27001: 'A.5.16', nist80053: 'AC-2', pcidss: '8.2.4', cis: '6.1' }),
  severities: ['medium', 'high'],
  evaluates: 'users',
  needs: [],
  notEvaluatedWhere: 'the state is not in users.knownStates',
  entity: { type: 'user', isRecord: true, hasPlainIds: true },
  timeBased: true,
  material: ['createdAt', 'roleName'],
  options,
  ruleContext: ({ knownUserStates }) => [...knownUserStates].sort(),
  begin({ days: most, highDays }, { now, knownUserStates: known }) {
    const [mostMs, highMs] = [most * dayMs, highDays * dayMs]
    const leastMs = Math.min(mostMs, highMs)
    const isInvited = (user: MirrorRecord) => knownWord([invitedState], user.fields['state']) !== undefined
    const isOther = (user: MirrorRecord) => knownWord(known, user.fields['state']) === undefined
    return {
      // A user who was not written again since the first time has no changes.
      readsHistoryOf: (user) => user.readAt !== user.firstSeenAt && (isInvited(user) || isOther(user)),
      record(user, history) {
        if (!isInvited(user) && !isOther(user)) return null
        const since = invitedSince(user, history, known)
        if (!isInvited(user)) {
          if (isOlderThan(since, leastMs, now)) return { kind: 'not_evaluated' }
          return { kind: 'ok', outside: true, until: olderFrom(since, leastMs) }
        }
        if (!isOlderThan(since, leastMs, now)) return { kind: 'ok', until: olderFrom(since, leastMs) }
        const isHigh = isOlderThan(since, highMs, now)
        const failure = failureOf(user, since, isHigh ? highDays : most)
        if (isHigh) return { kind: 'fails', severity: 'high', ...failure }
        return { kind: 'fails', severity: 'medium', ...failure, until: olderFrom(since, highMs) }
      },
    }
  },
})

function failureOf(user: MirrorRecord, since: number, threshold: number) {
  return {
    message: `User ${user.key} was invited on ${onDate(since)} and has not accepted within ${counted(threshold, 'day')}.`,
    evidence: {
      ...factsOf(user, ['userId', 'state', 'createdAt', 'roleName']),
      ...(since < timeOf(user, 'createdAtMs') && { firstCreatedAt: toIso(since) }),
      ...identityOf(user),
      thresholdDays: threshold,
    },
  }
}

const invitedState = 'Invited'

/** What a user was like before some change. */
interface PreviousUser {
  readonly email: unknown
  readonly createdAt: unknown
  readonly state: unknown
}

/**
 * When the user was invited, in milliseconds since the epoch: an invitation that is sent again may get a new date. One to
 * another e-mail is another invitation, and a date of a known state other than Invited is that of an account.
 *
 * @param history changes of the user, oldest first.
 */
function invitedSince(user: MirrorRecord, history: readonly ChangeRow[], knownStates: readonly string[]): number {
  const createdAt = timeOf(user, 'createdAtMs')
  if (history.length === 0) return createdAt
  const email = letters(user.fields['email'])
  const dates = previousOf(user, history).flatMap((one) => {
    const isInvited = one.state === invitedState || knownWord(knownStates, one.state) === undefined
    const earlierEmail = letters(one.email)
    const isSame = earlierEmail === email || earlierEmail === '' || email === ''
    return isInvited && isSame ? (isoMs(one.createdAt) ?? []) : []
  })
  return Math.min(createdAt, ...dates)
}

/** @param changes those of one moment are of one answer. */
function previousOf({ fields }: MirrorRecord, changes: readonly ChangeRow[]): readonly PreviousUser[] {
  const previous: PreviousUser[] = []
  let before: PreviousUser = { email: fields['email'], createdAt: fields['createdAt'], state: fields['state'] }
  for (const [i, change] of [...changes.entries()].reverse()) {
    if (change.field !== null && change.field in before) before = { ...before, [change.field]: change.before }
    if (changes[i - 1]?.at !== change.at) previous.push(before)
  }
  return previous
}

/** E-mails that differ in letter case or in characters that nobody sees are one; an absent one may be any. */
const letters = (email: unknown) => withoutUnseen(String(email ?? '')).toLowerCase()
