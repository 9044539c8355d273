import type { Fetched } from '../../api/reader.ts'
import type { FullSyncAdvance, FullSyncRow } from '../../mirror/port.ts'
import { SyncError } from '../../model/errors.ts'
import { confirmList } from '../lists/known-list.ts'
import { commit } from '../pages/commit-page.ts'
import { queryAt } from '../pages/page-reading.ts'
import { cursorDigest } from '../pages/page-rules.ts'
import { beginFullSync, fullSyncMs, type Moment, momentOf, type Run } from '../run.ts'

/** Of a longer list the full sync is written as it advances: what is held takes memory, and is compared at one go. */
const mostHeld = 50
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
  /** Lets pages be read; what they showed before a failure is written all the same. */
  over<T>(read: () => Promise<T>): Promise<T>
}

/** @param full sync the one that is begun already; without one the pages begin it. */
export function pageBuffer(run: Run, fullSync?: FullSyncRow): PageBuffer {
  const begun = momentOf(run.context)
  const era = run.era()
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
    // A decision ends open full syncs, and this would have been one; the next run reads the list anew.
    if (run.era() !== era) throw new SyncError('aborted', `The list of ${run.definition.name} is of before a decision`)
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
      if (written === undefined && pages.length < mostHeld && room >= 0) pages.push({ page, cursor })
      else await write(await release(), { page, cursor })
    },
    async confirm() {
      const [first] = pages
      if (written !== undefined || first === undefined || run.era() !== era) return false
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

function advanceOf(run: Run, { nextCursor, hasMore, meta }: Fetched, first: boolean): FullSyncAdvance {
  const start = { serverTime: meta.serverTime, requestId: meta.requestId }
  const digest = nextCursor === null ? null : cursorDigest(nextCursor)
  const step = { nextCursor, cursorDigest: digest, reachedEnd: !hasMore, fullSyncMs: fullSyncMs(run) }
  return { ...step, ...(first ? { start } : {}) }
}
