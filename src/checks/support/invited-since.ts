import type { ChangeRow, MirrorRecord, RecordReader } from '../../mirror/records/query.ts'
import { isoMs } from '../../model/dates.ts'
import { memoizeWeakly } from '../../model/memoize.ts'
import { timeOf } from './records.ts'

const invitedState = 'Invited'

export const invited = { field: 'state', is: invitedState } as const

interface FormerDate {
  /** In milliseconds since the epoch. */
  readonly createdAt: number
  /** State of the user until the date changed. */
  readonly state: unknown
}

/**
 * By id, earlier `createdAt` of users who are invited: an invitation that is sent again may get a new date. One with
 * another e-mail since is a new invitation.
 */
export const formerDates = memoizeWeakly(
  async (reader: RecordReader): Promise<ReadonlyMap<string, readonly FormerDate[]>> => {
    const former = new Map<string, readonly FormerDate[]>()
    for await (const batch of reader.select('users', { all: [invited] })) {
      const changes = await reader.history('users', ...batch.map(({ key }) => key))
      const byKey = Map.groupBy(changes, ({ key }) => key)
      for (const user of batch) {
        const earlier = datesIn(byKey.get(user.key) ?? []).filter((one) => one.createdAt < timeOf(user, 'createdAtMs'))
        if (earlier.length > 0) former.set(user.key, earlier)
      }
    }
    return former
  },
)

function datesIn(changes: readonly ChangeRow[]): readonly FormerDate[] {
  const sameSince = changes.findLastIndex(({ field }) => field === 'email')
  const ofPerson = changes.slice(sameSince + 1)
  return ofPerson.flatMap(({ field, before, at }, i) => {
    const createdAt = field === 'createdAt' ? isoMs(before) : null
    if (createdAt === null) return []
    const left = ofPerson.find((one, j) => one.field === 'state' && (j > i || one.at === at))
    return [{ createdAt, state: left?.before ?? invitedState }]
  })
}

/**
 * When the user was invited, in milliseconds since the epoch. A date of a known state other than Invited is that of an
 * account, which was invited anew.
 */
export function invitedSince(
  user: MirrorRecord,
  former: ReadonlyMap<string, readonly FormerDate[]>,
  knownStates: readonly string[],
): number {
  const isOfInvitation = ({ state }: FormerDate) => state === invitedState || !knownStates.some((one) => one === state)
  const dates = (former.get(user.key) ?? []).filter(isOfInvitation).map(({ createdAt }) => createdAt)
  return Math.min(timeOf(user, 'createdAtMs'), ...dates)
}
