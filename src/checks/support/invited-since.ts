import type { RecordReader } from '../../mirror/records/query.ts'
import { isoMs } from '../../model/dates.ts'
import { memoizeWeakly } from '../../model/memoize.ts'
import { timeOf } from './records.ts'

export const invited = { field: 'state', is: 'Invited' } as const

/**
 * By id, the first `createdAt` that was mirrored of users who are invited and have a later one now, in milliseconds since
 * the epoch: an invitation that is sent again may get a new date. One with another e-mail since is a new invitation.
 */
export const earlierInvitations = memoizeWeakly(async (reader: RecordReader): Promise<ReadonlyMap<string, number>> => {
  const earlier = new Map<string, number>()
  for await (const batch of reader.select('users', { all: [invited] })) {
    const changes = await reader.history('users', ...batch.map(({ key }) => key))
    const byKey = Map.groupBy(changes, ({ key }) => key)
    for (const user of batch) {
      const ofUser = byKey.get(user.key) ?? []
      const sameSince = ofUser.findLastIndex(({ field }) => field === 'email')
      const dates = ofUser.slice(sameSince + 1).flatMap(({ field, before }) => {
        return field === 'createdAt' ? (isoMs(before) ?? []) : []
      })
      const first = Math.min(...dates)
      if (first < timeOf(user, 'createdAtMs')) earlier.set(user.key, first)
    }
  }
  return earlier
})
