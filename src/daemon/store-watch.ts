import type { Mirror } from '../mirror/port.ts'
import type { Clock } from '../model/clock.ts'
import { FatalError, reasonOf, SyncError } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import type { Probe } from '../web/web-options.ts'

/** Share of the time that reading the whole database for damage may take. */
const verifyShare = 1 / 200

/** What a daemon does about its database: end when it is lost, wait when it cannot be written. */
export interface StoreWatch {
  /** Rejects with a FatalError when the daemon cannot go on; never resolves. */
  readonly broken: Promise<never>
  /** The same work; nothing that the database does makes it fail. */
  over(work: (signal: AbortSignal) => Promise<void>): (signal: AbortSignal) => Promise<void>
  /** Reads the whole database for damage, unless that was done so short a time ago that it would be too dear. */
  verify(signal: AbortSignal): Promise<void>
  /** Tells that the database cannot be used; null while it can. */
  problem(): Promise<Probe | null>
}

export function storeWatch(mirror: Mirror, clock: Clock, log: Log): StoreWatch {
  const { promise: broken, reject } = Promise.withResolvers<never>()
  broken.catch(() => {})
  let verifyAfter = Number.NEGATIVE_INFINITY
  return {
    broken,
    over: (work) => async (signal) => {
      try {
        await work(signal)
      } catch (error) {
        if (error instanceof FatalError) reject(error)
        else if (error instanceof SyncError && error.reason === 'store')
          log.warn(
            { reason: error.reason, detail: error.message, hint: error.hint },
            'The mirror cannot be used now; trying again when the next run is due',
          )
        else throw error
      }
    },
    async verify(signal) {
      const began = clock.monotonic()
      if (began < verifyAfter || !mirror.isVerified()) return
      await mirror.verify(signal)
      const ended = clock.monotonic()
      verifyAfter = ended + (ended - began) / verifyShare
    },
    async problem() {
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
