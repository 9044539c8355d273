import { isObject } from '../decode/is-object.ts'
import { kindOf } from '../decode/kind-of.ts'
import { type Envelope, violation } from './envelope.ts'

export interface Pagination {
  readonly limit: number | null
  readonly nextCursor: string | null
  readonly hasMore: boolean
}

const maxCursor = 8192

/** The full sync evaluates whether cursor and `hasMore` are consistent (docs/api.md#pagination). */
export function readPagination({ pagination, requestId }: Envelope, what: string): Pagination {
  const broken = (problem: string) => violation(what, 200, problem, requestId)
  if (!isObject(pagination)) throw broken(`pagination is ${kindOf(pagination)}, not an object`)
  const { limit, nextCursor = null, hasMore } = pagination
  if (typeof hasMore !== 'boolean') throw broken(`pagination.hasMore is ${kindOf(hasMore)}, not a boolean`)
  if (nextCursor !== null && typeof nextCursor !== 'string') {
    throw broken(`pagination.nextCursor is ${kindOf(nextCursor)}, not a string`)
  }
  if (nextCursor !== null && nextCursor.length > maxCursor) {
    throw broken(`pagination.nextCursor is longer than ${maxCursor} characters`)
  }
  return {
    limit: Number.isSafeInteger(limit) ? (limit as number) : null,
    nextCursor: nextCursor === null || nextCursor === '' ? null : nextCursor.toWellFormed(),
    hasMore,
  }
}

/** Refuses a partial unpaginated answer: missing records would count as removed (docs/api.md#pagination). */
export function refusePart({ pagination, requestId }: Envelope, what: string): void {
  if (!isObject(pagination) || pagination['hasMore'] !== true) return
  throw violation(what, 200, 'pagination.hasMore is true where the whole list is due', requestId)
}
