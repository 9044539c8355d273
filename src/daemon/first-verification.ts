import { reasonOf } from '../model/errors.ts'
import type { Mirror } from '../store/port.ts'

/**
 * Resolves once the whole mirror was read; after a failure of the database server the next call reads it again.
 *
 * @throws FatalError for a damaged database, SyncError `store` when it cannot be read.
 */
export function firstVerification(mirror: Pick<Mirror, 'isVerified' | 'verify'>, signal: AbortSignal) {
  let verifying: Promise<void> | undefined
  return async (): Promise<void> => {
    if (verifying === undefined && mirror.isVerified()) return
    verifying ??= mirror.verify(signal)
    const mine = verifying
    await mine.catch((error: unknown) => {
      if (reasonOf(error) === 'store' && verifying === mine) verifying = undefined
      throw error
    })
  }
}
