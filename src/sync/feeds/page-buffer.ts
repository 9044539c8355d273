import { isDeepStrictEqual } from 'node:util'
import type { Fetched } from '../../api/reader.ts'
import type { FullSyncRow } from '../../mirror/port.ts'
import { SyncError } from '../../model/errors.ts'
import { confirmList } from '../lists/known-list.ts'
import { commit } from '../pages/commit-page.ts'
import { idOf, queryAt } from '../pages/page-reading.ts'
import { advanceOf, beginFullSync, type Moment, momentOf, type Run } from '../run.ts'

/** Of a longer list the full sync is written as it advances: what is held takes memory, and is compared at one go. */
const maxBuffered = 50
const mostBytes = 2 * 2 ** 20

/**
 * The pages of a list, held back as long as the whole of it may turn out to be what the mirror holds: that is so nearly
 * always, and then there is no full sync to be written.
 */
export interface PageBuffer {
  readonly begun: Moment
  /** True for the pass that begins the full sync. */
  readonly isFirst: boolean
  /** Holds a verified page, or writes it once the full sync is. */
  add(page: Fetched, cursor: string | null): Promise<void>
  /** Stores that all pages show what the mirror holds, and the end of the run; false when they do not. */
  confirm(): Promise<boolean>
  /** Begins the full sync unless it is begun, and writes what is held. */
  release(): Promise<FullSyncRow>
  /** True while no page is written. */
  isUnwritten(): boolean
  /** True when a page that is not written yet has one of the records `keys` of the page with other values. */
  showsOther(page: Fetched, keys: readonly string[]): boolean
  /** Lets pages be read; what they showed before a failure is written all the same. */
  over<T>(read: () => Promise<T>): Promise<T>
}

/** @param full sync the one that is begun already; without one the pages begin it. */
export function pageBuffer(run: Run, fullSync?: FullSyncRow): PageBuffer {
  const begun = momentOf(run.context)
  const decisionVersion = run.decisionVersion()
  const isFirst = fullSync === undefined
  const pages: { readonly page: Fetched; readonly cursor: string | null }[] = []
  let written = fullSync
  let room = mostBytes

  async function write(to: FullSyncRow, { page, cursor }: (typeof pages)[number]): Promise<void> {
    const advance = advanceOf(run, page, isFirst && cursor === null)
    await commit(run, page, queryAt(cursor), { fullSync: { id: to.id, advance } })
  }

  async function release(): Promise<FullSyncRow> {
    if (written !== undefined) return written
    // A decision ends open full syncs, and this would have been one; the next run reads the list again.
    if (run.decisionVersion() !== decisionVersion)
      throw new SyncError('aborted', `The list of ${run.definition.name} is of before a decision`)
    // Another run may have raised a hold while this one waited.
    run.guard.insist()
    written = await beginFullSync(run, null, { begun })
    for (const one of pages.splice(0)) await write(written, one)
    return written
  }

  return {
    begun,
    isFirst,
    release,
    isUnwritten: () => written === undefined,
    showsOther(page, keys) {
      const { idField } = run.definition
      const earlier = pages.flatMap((one) => one.page.items)
      return keys.some((key) => {
        const isMeant = (item: Fetched['items'][number]) => String(idOf(item, idField)).toLowerCase() === key
        return !isDeepStrictEqual(earlier.find(isMeant), page.items.find(isMeant))
      })
    },
    async over(read) {
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
