import type { Settings } from '../../config/settings.ts'
import type { Mirror } from '../../mirror/port.ts'
import { openMirror } from '../../mirror/sqlite/sqlite-mirror.ts'
import type { Io } from '../../model/process/io.ts'

/** Verifies all of it (docs/operations.md#database-and-retention): a damaged index gives no error, but fewer findings. */
export async function openVerifiedMirror({ storePath }: Settings, { stop }: Io): Promise<Mirror> {
  const mirror = openMirror(storePath, 'beside')
  try {
    await mirror.verify(stop)
    return mirror
  } catch (error) {
    await mirror[Symbol.asyncDispose]()
    throw error
  }
}
