import type { Clock } from '../model/clock.ts'
import { FatalError, reasonOf, SyncError } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import { minuteMs } from '../model/time.ts'
import type { Mirror } from '../store/port.ts'
import type { Probe } from '../web/web-options.ts'

/** Share of time spent on reading the whole database to detect damage. */
const verifyShare = 1 / 200

export type StoreWatch = ReturnType<typeof storeWatch>

export function storeWatch(mirror: Pick<Mirror, 'ping' | 'verify'>, clock: Clock, log: Log) {
  const { promise: broken, reject } = Promise.withResolvers<never>()
  broken.catch(() => {})
  let logged = { detail: '', at: Number.NEGATIVE_INFINITY }
  let verifyAfter = clock.monotonic() + minuteMs
  return {
    broken,
    /** A lost database ends the daemon; an unusable one is logged; errors of other reasons are thrown. */
    jobFailed(error: unknown) {
      if (error instanceof FatalError) return reject(error)
      if (!(error instanceof SyncError)) throw error
      // Another replica took the tenant and runs the job.
      if (error.reason === 'aborted') return
      if (error.reason !== 'store') throw error
      const { reason, message: detail, hint } = error
      const now = clock.monotonic()
      if (detail === logged.detail && now - logged.at < minuteMs) return
      logged = { detail, at: now }
      log.warn({ reason, detail, hint }, 'The mirror cannot be used now; trying again when the next run is due')
    },
    /** Reads the whole database again when it is time. */
    async verify(signal: AbortSignal): Promise<void> {
      const began = clock.monotonic()
      if (began < verifyAfter) return
      await mirror.verify(signal)
      const ended = clock.monotonic()
      verifyAfter = ended + (ended - began) / verifyShare
    },
    async problem(): Promise<Probe | null> {
      try {
        await mirror.ping()
        return null
      } catch (error) {
        if (!(error instanceof FatalError) && reasonOf(error) !== 'store') throw error
        return { ok: false, text: 'The database cannot be used; see the log' }
      }
    },
  }
}
