import type { Readings } from '../readings.ts'
import type { Pagination } from '../server/envelope.ts'
import type { RenderStyle } from '../server/render.ts'
import type { Tenant } from '../tenant.ts'
import type { PermissionCode } from '../truth.ts'
import type { World } from '../world.ts'

export interface Call {
  readonly world: World
  readonly tenant: Tenant
  readonly query: URLSearchParams
  /** The `{id}` of the path, or the empty string. */
  readonly id: string
  readonly body: Uint8Array
  readonly style: RenderStyle
  /** Set by a fault: ignore the cursor of the request. */
  readonly ignoreCursor: boolean
}

export interface Answer {
  readonly status: number
  readonly data: unknown
  readonly pagination: Pagination | null
}

export interface Endpoint {
  readonly method: 'GET' | 'POST'
  /** Path with `{id}` where a segment is variable. */
  readonly template: string
  readonly permission: PermissionCode
  /** Query parameters that it knows; absent = none. */
  readonly parameters?: (readings: Readings) => readonly (string | null)[]
  readonly handle: (call: Call) => Answer
}

export function single(data: unknown): Answer {
  return { status: 200, data, pagination: null }
}

/** Scope of the cursors of an endpoint: its name and, by the readings, the tenant. */
export function cursorScope({ world, tenant }: Pick<Call, 'world' | 'tenant'>, endpoint: string): string {
  return world.readings.cursorBoundToTenant ? `${endpoint} ${tenant.name}` : endpoint
}

/** The cursor of a request, or null; an empty one is null by the reading `emptyCursorParameter`. */
export function cursorSent({ world, query, ignoreCursor }: Call): string | null {
  const cursor = query.get('cursor')
  if (cursor === null || ignoreCursor) return null
  return cursor === '' && world.readings.emptyCursorParameter === 'absent' ? null : cursor
}

export function integerId(id: string): number | null {
  const value = /^\d{1,16}$/.test(id) ? Number(id) : Number.NaN
  return Number.isSafeInteger(value) ? value : null
}

/** Rotates a list without guaranteed order, so that each response starts at another element. */
export function unordered<T>(world: World, records: readonly T[]): readonly T[] {
  if (world.readings.unorderedLists === 'stable' || records.length === 0) return records
  const at = world.responses % records.length
  return [...records.slice(at), ...records.slice(0, at)]
}

export function feedParameters({ pageSizeParameter }: Readings): readonly (string | null)[] {
  return ['cursor', 'updatedAfter', pageSizeParameter]
}
