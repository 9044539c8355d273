import { hash } from 'node:crypto'
import type { Fetched } from '../../api/reader.ts'
import { SyncError } from '../../model/errors.ts'
import { guidKey } from '../../model/guid.ts'
import { idOf, type Reading } from '../../model/reading.ts'
import type { ResourceDefinition } from '../../model/resource.ts'

/** A server that filters after paging sends as many as whole pages were deleted. */
const maxEmptyPages = 100

/**
 * Rules for consecutive pages (docs/internals/sync.md#17-protocol), checked before a page is written.
 *
 * @param pages read before, by an interrupted run.
 */
export function pageRules(maxPages: number, pages = 0) {
  /** Digests, because a cursor may be long. */
  const used = new Set<string>()
  let count = pages
  let empty = 0
  return {
    /** @throws SyncError `protocol`. `sent` is the request's cursor. */
    check({ items, nextCursor, hasMore }: Pick<Fetched, 'items' | 'nextCursor' | 'hasMore'>, sent: string | null) {
      const sentDigest = sent === null ? null : cursorDigest(sent)
      // A repeated request for the same page of the full sync counts once.
      if (sentDigest === null || !used.has(sentDigest)) count++
      if (sentDigest !== null) used.add(sentDigest)
      empty = items.length === 0 ? empty + 1 : 0
      if (!hasMore) return
      if (nextCursor === null) throw refused('a page announces further pages but has no cursor')
      if (used.has(cursorDigest(nextCursor)))
        throw refused('a page has a cursor that was already used, so the full sync would never end')
      if (empty >= maxEmptyPages)
        throw refused(`${maxEmptyPages} empty pages came in a row while further pages are announced`)
      if (count >= maxPages) throw refused(`the list continues after ${maxPages} pages (api.maxPages)`)
    },
  }
}

function cursorDigest(cursor: string): string {
  return hash('sha256', cursor, 'base64url').slice(0, 22)
}

function refused(what: string): SyncError {
  return new SyncError('protocol', `The tenant's pagination cannot be followed: ${what}`)
}

/** The error for a page whose records were all on earlier pages. */
export function cursorIgnored({ name }: Pick<ResourceDefinition, 'name'>): SyncError {
  return new SyncError(
    'invalid_cursor',
    `A page of ${name} repeats earlier records: the tenant ignores the cursor, or orders the list differently at each request`,
  )
}

/** In canonical form, because the notation of a GUID may vary. */
export function idTextOf(item: Reading, idField: string | null): string | null {
  const id = idOf(item, idField)
  return id === null ? null : guidKey(id)
}

/** Ids of the records with a readable id. */
export function idTextsOn(
  { items }: Pick<Fetched, 'items'>,
  { idField }: Pick<ResourceDefinition, 'idField'>,
): readonly string[] {
  return items.map((item) => idTextOf(item, idField)).filter((id) => id !== null)
}

export function queryAt(cursor: string | null): { readonly cursor?: string } {
  return cursor === null ? {} : { cursor }
}
