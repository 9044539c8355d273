import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
/** Bytes: containers often give 64 MB, which the mirrors of tests that run side by side would fill. */
const enough = 2 ** 30

/** Where tests keep their databases: in memory where the system offers it, as they do not ask what survives a power cut. */
export const temporaryRoot = memoryHasRoom() ? memory : tmpdir()

function memoryHasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= enough
  } catch {
    return false
  }
}
