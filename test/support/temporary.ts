import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** In memory where the system offers it: these tests do not ask what survives a power cut. */
const root = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A folder of the running test's own, gone when the test is. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(root, 'tenantwatch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
