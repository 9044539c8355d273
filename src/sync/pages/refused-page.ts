import type { FeedQuery, Fetched } from '../../api/reader.ts'
import { createdAtOf } from '../../model/dates.ts'
import { dayMs, hourMs } from '../../model/durations.ts'
import { isRefusedRequest } from '../../model/errors.ts'
import { guidKey } from '../../model/guid.ts'
import type { PagedListResource, ResourceDefinition } from '../../model/resource.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { AdmittedPage, PageComparison, SyncState } from '../../store/port.ts'
import type { TenantContext } from '../context.ts'
import { idOf, queryAt } from './page-rules.ts'

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
 * The page rule (docs/sync.md#8-tenant-identity): false if most of five or more records are unknown but were created over
 * an hour before the last complete full sync began. Records without a readable id do not count: they are quarantined.
 * If the server time of that full sync is unknown, or was wrong (ahead of the page's, or since then the server's time
 * advanced by over a day more than a local one that was not set back), the local time counts unless it is after `now`.
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
  if (serverBegan === null && began > now) return true
  const accepted = new Set(admitted?.resource === resource ? admitted.keys : [])
  const identified = unknown.filter(({ key }) => key !== null)
  const isStrange = ({ key, createdAt }: RuledPage['unknown'][number]) =>
    key !== null && createdAt !== null && createdAt < began - oldEnoughMs && !accepted.has(key)
  return identified.filter(isStrange).length * 2 <= known + identified.length
}

export interface RefusedAnswer {
  readonly resource: ResourceName
  readonly query: FeedQuery
  readonly comparison: PageComparison
}

export interface RefusedPage {
  readonly context: TenantContext
  readonly tenantId: number
  readonly definition: ResourceDefinition
  readonly query: FeedQuery
  readonly signal: AbortSignal
}

export async function refusedPagePasses(page: RefusedPage): Promise<boolean> {
  const { context, tenantId, definition } = page
  const state = await context.store.syncState(tenantId, definition.name)
  if (definition.kind === 'pagedList') return everyPageAdmitted(page, definition, state)
  return isAdmitted(page, state, await refetch(page))
}

/** Reads the list from its first page, because its cursors are valid within one pass only. */
async function everyPageAdmitted(page: RefusedPage, definition: PagedListResource, state: SyncState): Promise<boolean> {
  const { context, signal } = page
  let cursor: string | null = null
  for (let pages = 0; pages < context.settings.api.maxPages; pages++) {
    const fetched: Fetched = await context.reader.fetch(definition, queryAt(cursor), signal)
    if (!(await isAdmitted(page, state, fetched))) return false
    if (!fetched.hasMore || fetched.nextCursor === null || fetched.nextCursor === cursor) return true
    cursor = fetched.nextCursor
  }
  return false
}

async function isAdmitted(page: RefusedPage, state: SyncState, fetched: Fetched): Promise<boolean> {
  const { serverTime } = fetched.meta
  return admits(state, await comparisonOf(page, fetched), { now: page.context.clock.now(), serverTime })
}

async function refetch({ context, definition, query, signal }: RefusedPage): Promise<Fetched> {
  try {
    return await context.reader.fetch(definition, query, signal)
  } catch (error) {
    if (isRefusedRequest(error)) return context.reader.fetch(definition, {}, signal)
    throw error
  }
}

async function comparisonOf(page: RefusedPage, { items }: Fetched): Promise<RuledPage> {
  const { context, tenantId, definition } = page
  const unknown: { key: string | null; createdAt: number | null }[] = []
  let known = 0
  for (const item of items) {
    const key = idOf(item, definition.idField)
    if (key !== null && (await context.store.knownKeys(tenantId, definition.name, [key])) > 0) known++
    else
      unknown.push({
        key: key === null ? null : guidKey(key),
        createdAt: createdAtOf(item.ok ? item.record : item.raw),
      })
  }
  return { known, unknown }
}
