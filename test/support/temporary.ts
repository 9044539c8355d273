import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryRoot } from './temporary-root.ts'

/** A folder of the running test's own, gone when the test is. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(temporaryRoot, 'tenantwatch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
