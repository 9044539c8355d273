import { isDeepStrictEqual } from 'node:util'
import type { Fetched, Item } from '../../api/reader.ts'
import { SyncError } from '../../model/errors.ts'
import type { FullSyncRow } from '../../store/port.ts'
import { commitPage, confirmList } from '../pages/commit-page.ts'
import { idTextOf, queryAt } from '../pages/page-rules.ts'
import { advanceOf, beginFullSync, type Moment, momentOf, type Run } from '../run.ts'

/** Longer lists are written page by page, to limit memory. */
const maxBuffered = 50
const mostBytes = 2 * 2 ** 20

/** Buffers pages while the list may equal the mirror, as it nearly always does, and no full sync need be written. */
export interface PageBuffer {
  readonly begun: Moment
  readonly isFirst: boolean
  add(page: Fetched, cursor: string | null): Promise<void>
  /** Stores that all pages equal the mirror, and the end of the run; false if they differ. */
  confirm(): Promise<boolean>
  release(): Promise<FullSyncRow>
  isUnwritten(): boolean
  items(): readonly Item[]
  showsOther(page: Fetched, keys: readonly string[]): boolean
  releaseOnError<T>(read: () => Promise<T>): Promise<T>
}

export function pageBuffer(run: Run, fullSync?: FullSyncRow): PageBuffer {
  const begun = momentOf(run.context)
  const decisionVersion = run.decisionVersion()
  const isFirst = fullSync === undefined
  const pages: { readonly page: Fetched; readonly cursor: string | null }[] = []
  let written = fullSync
  let room = mostBytes

  async function write(to: FullSyncRow, { page, cursor }: (typeof pages)[number]): Promise<void> {
    const advance = advanceOf(run, page, isFirst && cursor === null)
    await commitPage(run, page, queryAt(cursor), { fullSync: { id: to.id, advance } })
  }

  async function release(): Promise<FullSyncRow> {
    if (written !== undefined) return written
    // A decision ends open full syncs, including this unwritten one; the next run reads the list again.
    if (run.decisionVersion() !== decisionVersion)
      throw new SyncError('aborted', `The list of ${run.definition.name} was read before a decision`)
    run.guard.insist()
    written = await beginFullSync(run, null, begun)
    for (const one of pages.splice(0)) await write(written, one)
    return written
  }

  return {
    begun,
    isFirst,
    release,
    isUnwritten: () => written === undefined,
    items: () => pages.flatMap(({ page }) => page.items),
    showsOther(page, keys) {
      const { idField } = run.definition
      const earlier = pages.flatMap((one) => one.page.items)
      return keys.some((key) => {
        const isMeant = (item: Fetched['items'][number]) => idTextOf(item, idField) === key
        return !isDeepStrictEqual(earlier.find(isMeant), page.items.find(isMeant))
      })
    },
    async releaseOnError(read) {
      try {
        return await read()
      } catch (error) {
        if (pages.length > 0) await release()
        throw error
      }
    },
    async add(page, cursor) {
      room -= page.bytes ?? 0
      if (written === undefined && pages.length < maxBuffered && room >= 0) pages.push({ page, cursor })
      else await write(await release(), { page, cursor })
    },
    async confirm() {
      const [first] = pages
      if (written !== undefined || first === undefined || run.decisionVersion() !== decisionVersion) return false
      const durationMs = Math.round(run.context.clock.monotonic() - begun.since)
      const { serverTime } = first.page.meta
      const whole = { startedAt: begun.at, durationMs, serverTime, reachedEndServerTime: serverTime }
      return confirmList(
        run,
        pages.map(({ page }) => page),
        whole,
      )
    },
  }
}
