import { isoMs } from '../../model/dates.ts'
import { memoizeWeakly } from '../../model/memoize.ts'
import type { ChangeRow, MirrorRecord, RecordReader, WhereOn } from '../../store/records/query.ts'
import { timeOf } from './records.ts'
import { withoutUnseen } from './words.ts'

const invitedState = 'Invited'

export const invited = { field: 'state', is: invitedState } as const

/** What a user was like before some change. */
interface FormerUser {
  readonly email: unknown
  readonly createdAt: unknown
  readonly state: unknown
}

type FormerUsers = ReadonlyMap<string, readonly FormerUser[]>

/** By id, what users who are invited were like before, if their `createdAt` was an earlier one. */
export const formerUsers = memoizeWeakly(async (reader: RecordReader): Promise<FormerUsers> => {
  const former = new Map<string, readonly FormerUser[]>()
  for await (const batch of reader.select('users', { all: [invited] }))
    for (const one of await formerIn(reader, batch)) former.set(...one)
  return former
})

/** Ids of users that meet the conditions, and were invited longer ago than their `createdAt` states. */
export async function invitedBefore(
  reader: RecordReader,
  where: WhereOn<'users'>,
  knownStates: readonly string[],
  isOld: (since: number) => boolean,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for await (const batch of reader.select('users', where)) {
    const former = await formerIn(reader, batch)
    for (const user of batch) if (isOld(invitedSince(user, former, knownStates))) found.add(user.key)
  }
  return found
}

async function formerIn(reader: RecordReader, batch: readonly MirrorRecord[]): Promise<FormerUsers> {
  const changes = await reader.history('users', ...batch.map(({ key }) => key))
  const byKey = Map.groupBy(changes, ({ key }) => key)
  return new Map(
    batch.flatMap((user) => {
      const earlier = formerOf(user, byKey.get(user.key) ?? []).filter((one) => isEarlier(one, user))
      return earlier.length === 0 ? [] : [[user.key, earlier] as const]
    }),
  )
}

/** @param changes oldest first; those of one moment are of one answer. */
function formerOf({ fields }: MirrorRecord, changes: readonly ChangeRow[]): readonly FormerUser[] {
  const former: FormerUser[] = []
  let before: FormerUser = { email: fields['email'], createdAt: fields['createdAt'], state: fields['state'] }
  for (const [i, change] of [...changes.entries()].reverse()) {
    if (change.field !== null && change.field in before) before = { ...before, [change.field]: change.before }
    if (changes[i - 1]?.at !== change.at) former.push(before)
  }
  return former
}

function isEarlier({ createdAt }: FormerUser, user: MirrorRecord): boolean {
  const at = isoMs(createdAt)
  return at !== null && at < timeOf(user, 'createdAtMs')
}

/**
 * When the user was invited, in milliseconds since the epoch: an invitation that is sent again may get a new date. One to
 * another e-mail is another invitation, and a date of a known state other than Invited is that of an account.
 */
export function invitedSince(user: MirrorRecord, former: FormerUsers, knownStates: readonly string[]): number {
  const email = letters(user.fields['email'])
  const dates = (former.get(user.key) ?? []).flatMap((one) => {
    const isInvited = one.state === invitedState || !knownStates.some((known) => known === one.state)
    const formerEmail = letters(one.email)
    const isSame = formerEmail === email || formerEmail === '' || email === ''
    return isInvited && isSame ? (isoMs(one.createdAt) ?? []) : []
  })
  return Math.min(timeOf(user, 'createdAtMs'), ...dates)
}

/** E-mails that differ in letter case or in characters that nobody sees are one; an absent one may be any. */
const letters = (email: unknown) => withoutUnseen(String(email ?? '')).toLowerCase()
