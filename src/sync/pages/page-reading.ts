import type { FeedQuery, Fetched, Item } from '../../api/reader.ts'
import type { ResourceDefinition } from '../../model/resource.ts'
import type { TenantContext } from '../context.ts'

export function idOf(item: Item, idField: string | null): string | number | null {
  if (!item.ok) return item.id
  const id = idField === null ? 0 : (item.record as Readonly<Record<string, unknown>>)[idField]
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

export function fetchOf(
  { reader }: Pick<TenantContext, 'reader'>,
  definition: ResourceDefinition,
  query: FeedQuery,
  signal: AbortSignal,
): Promise<Fetched> {
  return reader.fetch(definition, query, signal)
}

export function queryAt(cursor: string | null): { readonly cursor?: string } {
  return cursor === null ? {} : { cursor }
}
