import { greatestSkewMs } from '../../model/server-clock.ts'
import { dayMs, hourMs } from '../../model/time.ts'
import type { AdmittedPage, PageComparison, SyncState } from '../../store/port.ts'

const leastSuspiciousPage = 5
const oldEnoughMs = hourMs

export type RuledPage = Pick<PageComparison, 'known' | 'unknown'>

/** Times are milliseconds since the epoch. */
export interface Ruling {
  readonly now: number
  /** Server time of the page; null if unreadable. */
  readonly serverTime: number | null
  /** What an operator accepted counts as known. */
  readonly admitted?: readonly AdmittedPage[]
}

/**
 * The page rule (docs/internals/sync.md#8-tenant-identity): false if most of five or more records are unknown but old.
 * Records without a readable id do not count: they are quarantined.
 */
export function admits(state: SyncState, { known, unknown }: RuledPage, ruling: Ruling): boolean {
  if (known + unknown.length < leastSuspiciousPage) return true
  const { keys = [] } = ruling.admitted?.find(({ resource }) => resource === state.resource) ?? {}
  if (keys === null) return true
  const accepted = new Set(keys)
  const identified = unknown.filter(({ key }) => key !== null)
  const isStrange = isOldBy(state, ruling)
  const strange = identified.filter(({ key, createdAt }) => key !== null && isStrange(createdAt) && !accepted.has(key))
  return strange.length * 2 <= known + identified.length
}

/**
 * Recognizes records that were created over an hour before the last complete full sync began, which would have returned
 * them. Without a server time, a record created after `now` shows that the local clock is wrong, and counts as old.
 */
export function isOldBy(state: SyncState, { now, serverTime }: Ruling): (createdAt: number | null) => boolean {
  const began = fullSyncBegan(state, now, serverTime)
  return (createdAt) => {
    if (began === null || createdAt === null) return false
    return createdAt < began - oldEnoughMs || (serverTime === null && createdAt > now + oldEnoughMs)
  }
}

/**
 * By the server, else by the local clock, as it runs beside that of the server now; by the later time if one of the two
 * clocks was set by over a day since. A time ahead of both was wrong (by over a day, if only the local clock is known):
 * then that of the first full sync counts. So it does where all are, because the present time is wrong.
 */
function fullSyncBegan(
  { completeServerTime: server, completeStartedAt: local, firstCompleteAt: first }: SyncState,
  now: number,
  serverTime: number | null,
): number | null {
  const skewMs = serverTime === null ? 0 : serverTime - now
  const latest = Math.max(now, serverTime ?? now)
  const isPossible = (time: number | null) =>
    time !== null && time <= latest + (serverTime === null ? dayMs : greatestSkewMs)
  if (server !== null && local !== null && isPossible(server)) {
    const isSteady = serverTime === null || Math.abs(skewMs - (server - local)) <= dayMs
    if (isSteady) return server
  }
  const byServer = isPossible(server) || local === null ? server : local + skewMs
  const possible = [byServer, local, first].filter(isPossible)
  return possible.length === 0 ? first : Math.min(Math.max(...possible.map(Number)), latest)
}
