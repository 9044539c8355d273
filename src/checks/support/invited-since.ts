import { isoMs } from '../../model/dates.ts'
import type { ChangeRow, MirrorRecord } from '../../store/records/query.ts'
import { timeOf } from './records.ts'
import { withoutUnseen } from './words.ts'

export const invitedState = 'Invited'

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
export function invitedSince(
  user: MirrorRecord,
  history: readonly ChangeRow[],
  knownStates: readonly string[],
): number {
  const createdAt = timeOf(user, 'createdAtMs')
  if (history.length === 0) return createdAt
  const email = letters(user.fields['email'])
  const dates = previousOf(user, history).flatMap((one) => {
    const isInvited = one.state === invitedState || !knownStates.some((known) => known === one.state)
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
