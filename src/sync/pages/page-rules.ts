import { hash } from 'node:crypto'
import type { Fetched } from '../../api/reader.ts'
import { SyncError } from '../../model/errors.ts'

const maxEmptyPages = 3

/** The rules a run of pages must keep (docs/sync.md#pages); they see every page before it is written. */
export interface PageRules {
  /** @throws SyncError `protocol`: PageRefused when the page itself breaks a rule. `sent` is the cursor it was asked with. */
  check(fetched: Fetched, sent: string | null): Promise<void>
}

/** A page cannot be what its cursor stands for; what the cursor brings when it is sent again is not known. */
export class PageRefused extends SyncError {}

export interface PageRulesStart {
  readonly maxPages: number
  readonly pages?: number
  readonly emptyPages?: number
  /** True when an earlier run of the same full sync was given this cursor. */
  readonly seenBefore?: (digest: string) => Promise<boolean>
}

export function pageRules({ maxPages, pages = 0, emptyPages = 0, seenBefore }: PageRulesStart): PageRules {
  const used = new Set<string>()
  let count = pages
  let empty = emptyPages
  return {
    async check({ items, same, nextCursor, hasMore }, sent) {
      const sentDigest = sent === null ? null : cursorDigest(sent)
      // The page in one place of the full sync may have to be asked for twice.
      if (sentDigest === null || !used.has(sentDigest)) count++
      if (sentDigest !== null) used.add(sentDigest)
      empty = items.length === 0 && same !== true ? empty + 1 : 0
      if (!hasMore) return
      if (nextCursor === null) throw refused('a page says that more pages exist but carries no cursor')
      const digest = cursorDigest(nextCursor)
      if (used.has(digest) || (await seenBefore?.(digest)) === true) {
        throw refused('a page carries a cursor that was already used, so the full sync would never end')
      }
      if (empty >= maxEmptyPages) throw refused(`${maxEmptyPages} empty pages came in a row while more are promised`)
      if (count >= maxPages) {
        throw new SyncError('protocol', `${unfollowed}: the list goes on after ${maxPages} pages (api.maxPages)`)
      }
    },
  }
}

/** Cursors are opaque and may be long; what is kept of them to recognise one is a digest. */
export function cursorDigest(cursor: string): string {
  return hash('sha256', cursor, 'base64url').slice(0, 22)
}

const unfollowed = "The tenant's pagination cannot be followed"

function refused(what: string): PageRefused {
  return new PageRefused('protocol', `${unfollowed}: ${what}`)
}
