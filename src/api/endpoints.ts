import type { ResourceDefinition } from '../model/resource.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { resources } from '../resources/index.ts'
import type { ApiOptions } from './options.ts'
import type { FeedQuery } from './reader.ts'

/** An endpoint of the tenant's API (docs/internals/api.md#endpoints). */
export interface Endpoint {
  /** Path template, also the label of metrics. */
  readonly template: string
  readonly permission: string
  readonly whole: boolean
}

export function endpointOf({ path, permission, kind, idField }: ResourceDefinition): Endpoint {
  return { template: path, permission, whole: kind === 'whole' && idField !== null }
}

/** Null if the daemon never asks for a single record. */
export function byIdEndpointOf(resource: ResourceDefinition): Endpoint | null {
  const path = resource.kind === 'feed' ? resource.lookUp?.path : undefined
  return path === undefined ? null : { ...endpointOf(resource), template: path }
}

/** For each permission the cheapest endpoint of the enabled resources. */
export function probesFor(names: readonly ResourceName[]): readonly Endpoint[] {
  const chosen = new Map<string, Endpoint>()
  for (const resource of resources.toSorted((a, b) => a.probe - b.probe)) {
    const { name, permission } = resource
    if (names.includes(name) && !chosen.has(permission)) chosen.set(permission, endpointOf(resource))
  }
  return [...chosen.values()]
}

type PageSizeOptions = Pick<ApiOptions, 'pageSize' | 'pageSizeParameter'>

export interface PageSize {
  readonly parameter: string
  readonly size: number
}

/** Null when none is sent: only feeds have one (docs/internals/api.md#open-points). */
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

/** Likely cause of a 400; undefined for a request with a cursor, which is then the cause. */
export function badRequestHint(query: FeedQuery, pageSize: PageSize | null): string | undefined {
  if (query.cursor !== undefined || query.updatedAfter !== undefined) return undefined
  return pageSize === null
    ? 'The API may require a page size: see api.pageSizeParameter'
    : 'Check api.pageSizeParameter and api.pageSize: the name of the parameter or its value may be wrong'
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
