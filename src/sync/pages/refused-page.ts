import type { FeedQuery, Fetched } from '../../api/reader.ts'
import type { AdmittedPage, PageComparison, SyncState } from '../../mirror/port.ts'
import { createdAtOf } from '../../model/dates.ts'
import { hourMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import type { PagedListResource, ResourceDefinition } from '../../model/resource.ts'
import type { TenantContext } from '../context.ts'
import { idOf, queryAt } from './page-rules.ts'

const leastSuspiciousPage = 5
const oldEnoughMs = hourMs

export type RuledPage = Pick<PageComparison, 'known' | 'unknown'>

/**
 * The page rule (docs/sync.md#tenant-identity): false when most of five or more records are unknown but created over an
 * hour before the last complete full sync began. Ids in `admitted` count as known. Where the server time is unknown,
 * the local time counts unless it is after `now`.
 */
export function admits(
  { resource, completeServerTime, completeStartedAt }: SyncState,
  { known, unknown }: RuledPage,
  admitted: AdmittedPage | null,
  now: number,
): boolean {
  const began = completeServerTime ?? completeStartedAt
  const total = known + unknown.length
  if (began === null || total < leastSuspiciousPage) return true
  if (completeServerTime === null && began > now) return true
  const accepted = new Set(admitted?.resource === resource ? admitted.keys : [])
  const isStrange = ({ key, createdAt }: RuledPage['unknown'][number]) =>
    createdAt !== null && createdAt < began - oldEnoughMs && (key === null || !accepted.has(key))
  return unknown.filter(isStrange).length * 2 <= total
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
  return admits(state, await comparisonOf(page, await refetch(page)), null, context.clock.now())
}

/** Cursors of such a list are valid within one pass only, so it is read from its first page. */
async function everyPageAdmitted(page: RefusedPage, definition: PagedListResource, state: SyncState): Promise<boolean> {
  const { context, signal } = page
  const { clock } = context
  let cursor: string | null = null
  for (let pages = 0; pages < context.settings.api.maxPages; pages++) {
    const fetched: Fetched = await context.reader.fetch(definition, queryAt(cursor), signal)
    if (!admits(state, await comparisonOf(page, fetched), null, clock.now())) return false
    if (!fetched.hasMore || fetched.nextCursor === null || fetched.nextCursor === cursor) return true
    cursor = fetched.nextCursor
  }
  return false
}

async function refetch({ context, definition, query, signal }: RefusedPage): Promise<Fetched> {
  try {
    return await context.reader.fetch(definition, query, signal)
  } catch (error) {
    if (error instanceof SyncError && error.status === 400) return context.reader.fetch(definition, {}, signal)
    throw error
  }
}

async function comparisonOf(page: RefusedPage, { items }: Fetched): Promise<RuledPage> {
  const { context, tenantId, definition } = page
  const unknown: { key: string | number | null; createdAt: number | null }[] = []
  let known = 0
  for (const item of items) {
    const key = idOf(item, definition.idField)
    if (key !== null && (await context.store.knownKeys(tenantId, definition.name, [key])) > 0) known++
    else unknown.push({ key, createdAt: createdAtOf(item.ok ? item.record : item.raw) })
  }
  return { known, unknown }
}
