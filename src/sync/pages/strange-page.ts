import { dayMs, hourMs } from '../../model/durations.ts'
import type { AdmittedPage, PageComparison, SyncState } from '../../store/port.ts'

const leastSuspiciousPage = 5
const oldEnoughMs = hourMs

export type RuledPage = Pick<PageComparison, 'known' | 'unknown'>

/** Times are milliseconds since the epoch. */
export interface Ruling {
  readonly now: number
  /** Server time of the page; null if unreadable. */
  readonly serverTime: number | null
  /** A page that an operator accepted: its ids count as known. */
  readonly admitted?: AdmittedPage | null
}

/**
 * The page rule (docs/internals/sync.md#8-tenant-identity): false if most of five or more records are unknown but were created over
 * an hour before the last complete full sync began. Records without a readable id do not count: they are quarantined.
 * If the server time of that full sync is unknown, or was wrong (ahead of the page's, or since then the server's time
 * advanced by over a day more than a local one that was not set back), the local time counts unless it is after both `now`
 * and the page's server time.
 */
export function admits(
  { resource, completeServerTime, completeStartedAt }: SyncState,
  { known, unknown }: RuledPage,
  { now, serverTime, admitted = null }: Ruling,
): boolean {
  const serverAdvance = completeServerTime === null || serverTime === null ? 0 : serverTime - completeServerTime
  const localAdvance = completeStartedAt === null ? serverAdvance : now - completeStartedAt
  const isWrong = serverAdvance < 0 || (localAdvance >= 0 && serverAdvance - localAdvance > dayMs)
  const serverBegan = isWrong ? null : completeServerTime
  const began = serverBegan ?? completeStartedAt
  const total = known + unknown.length
  if (began === null || total < leastSuspiciousPage) return true
  if (serverBegan === null && began > Math.max(now, serverTime ?? now)) return true
  const accepted = new Set(admitted?.resource === resource ? admitted.keys : [])
  const identified = unknown.filter(({ key }) => key !== null)
  const isStrange = ({ key, createdAt }: RuledPage['unknown'][number]) =>
    key !== null && createdAt !== null && createdAt < began - oldEnoughMs && !accepted.has(key)
  return identified.filter(isStrange).length * 2 <= known + identified.length
}
