import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Fetched } from '../../api/reader.ts'
import type { PageFingerprint } from '../../mirror/port.ts'
import type { FeedResource } from '../../model/resource.ts'
import { queryAt } from '../pages/page-reading.ts'
import type { Run } from '../run.ts'
import { fetchFeedPage } from './feed-reading.ts'

/** One page to be asked for: its cursor, and what the mirror knows in its place. */
export interface PageWanted {
  readonly cursor: string | null
  readonly known: PageFingerprint | null
}

/** Asks for the next page of a feed while the one before it is being written. */
export interface PagesAhead extends AsyncDisposable {
  /** Sends the request and waits until it is on its way; what becomes of it shows when the page is taken. */
  begin(wanted: PageWanted): Promise<void>
  /** The page, verified; one that was not begun is asked for now. */
  take(wanted: PageWanted): Promise<Fetched>
}

export function pagesAhead(run: Run, definition: FeedResource): PagesAhead {
  const stop = new AbortController()
  const signal = AbortSignal.any([run.signal, stop.signal])
  let begun: { readonly wanted: PageWanted; readonly page: Promise<Fetched> } | null = null
  const ask = ({ cursor, known }: PageWanted) =>
    run.context.reader.fetch(definition, queryAt(cursor), signal, known?.digest)

  return {
    async begin(wanted) {
      const page = ask(wanted)
      // It is told when the page is taken, or to nobody.
      page.catch(() => {})
      begun = { wanted, page }
      // The writing of the page before holds the thread: without this the request would leave after it.
      await yieldToEventLoop()
    },
    take(wanted) {
      const early = begun !== null && begun.wanted.cursor === wanted.cursor ? begun.page : null
      begun = null
      let attempts = 0
      return fetchFeedPage(run, definition, queryAt(wanted.cursor), () =>
        attempts++ === 0 && early !== null ? early : ask(wanted),
      )
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await begun?.page.catch(() => {})
    },
  }
}
