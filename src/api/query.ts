import type { ResourceDefinition } from '../model/resource.ts'
import type { ApiOptions } from './options.ts'
import type { FeedQuery } from './reader.ts'

type PageSizeOptions = Pick<ApiOptions, 'pageSize' | 'pageSizeParameter'>

export interface PageSize {
  readonly parameter: string
  readonly size: number
}

/** Null when none is sent: only feeds have one (docs/api.md#open-points). */
export function pageSizeOf(
  resource: ResourceDefinition,
  { pageSize, pageSizeParameter: written }: PageSizeOptions,
): PageSize | null {
  if (resource.kind !== 'feed') return null
  const parameter = typeof written === 'string' || written === null ? written : (written[resource.name] ?? null)
  if (parameter === null) return null
  return { parameter, size: Math.min(pageSize, resource.maxPageSize ?? pageSize) }
}

export function feedQuery(query: FeedQuery, pageSize: PageSize | null): string {
  const { cursor, updatedAfter } = query as { readonly cursor?: string; readonly updatedAfter?: string }
  const pairs: string[] = []
  if (cursor !== undefined) pairs.push(`cursor=${encode(cursor)}`)
  else if (updatedAfter !== undefined) pairs.push(`updatedAfter=${encode(updatedAfter)}`)
  if (pageSize !== null) pairs.push(`${encode(pageSize.parameter)}=${pageSize.size}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Likely cause of a 400 without a cursor; with one, the cursor is the cause. */
export function badRequestHint(query: FeedQuery, pageSize: PageSize | null): string | undefined {
  if (query.cursor !== undefined || query.updatedAfter !== undefined) return undefined
  return pageSize === null
    ? 'The API may want a page size: see api.pageSizeParameter'
    : 'Check api.pageSizeParameter and api.pageSize: the name of the parameter or its value may be wrong'
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
