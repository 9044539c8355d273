import { isObject } from '../decode/is-object.ts'
import { kindOf } from '../decode/kind-of.ts'
import { type Envelope, violation } from './envelope.ts'

export interface Pagination {
  readonly limit: number | null
  readonly nextCursor: string | null
  readonly hasMore: boolean
}

const maxCursor = 8192

/**
 * Reads the pagination object of a list (docs/api.md#pagination). Whether cursor and `hasMore` make sense
 * together is for the full sync to evaluate.
 *
 * @throws SyncError `protocol` when it is no object, `hasMore` no boolean or `nextCursor` no text of at most 8192
 *   characters.
 */
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

/**
 * Refuses an answer to an unpaginated endpoint that says itself that there is more: what it does not show would be
 * taken for removed (docs/api.md#pagination).
 *
 * @throws SyncError `protocol`.
 */
export function refusePart({ pagination, requestId }: Envelope, what: string): void {
  if (!isObject(pagination) || pagination['hasMore'] !== true) return
  throw violation(what, 200, 'pagination.hasMore is true where the whole list is due', requestId)
}
