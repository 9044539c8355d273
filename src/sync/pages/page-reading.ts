import type { Item } from '../../api/reader.ts'

export function idOf(item: Item, idField: string | null): string | number | null {
  if (!item.ok) return item.id
  const id = idField === null ? 0 : (item.record as Readonly<Record<string, unknown>>)[idField]
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

export function queryAt(cursor: string | null): { readonly cursor?: string } {
  return cursor === null ? {} : { cursor }
}
