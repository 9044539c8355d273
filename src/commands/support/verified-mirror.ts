import type { Settings } from '../../config/settings.ts'
import { openStore } from '../../daemon/open-store.ts'
import type { Mirror } from '../../mirror/port.ts'
import type { Io } from '../../model/process/io.ts'

/** Verifies all of it (docs/operations.md#database-and-retention): a damaged index gives no error, but fewer findings. */
export async function openVerifiedMirror(settings: Settings, io: Io): Promise<Mirror> {
  const mirror = await openStore(settings, 'beside', io)
  try {
    await mirror.verify(io.stop)
    return mirror
  } catch (error) {
    await mirror[Symbol.asyncDispose]()
    throw error
  }
}
