import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryRoot } from './temporary-root.ts'

/** Where the end of something is registered: `onTestFinished`, or `afterAll` for what the tests of a file share. */
export type Finished = (undo: () => void | Promise<void>) => void

/** A folder of the running test's own, gone when the test is. */
export function temporaryFolder(finished: Finished = onTestFinished): string {
  const folder = mkdtempSync(join(temporaryRoot, 'tenantwatch-'))
  finished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
