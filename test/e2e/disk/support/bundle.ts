import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const root = join(import.meta.dirname, '../../../..')

/** The program as users run it, built from the sources into a folder of this test file's own. */
export interface Bundle {
  readonly file: string
  /** Its copy of the migrations. */
  readonly migrations: string
}

/** Builds the bundle once for a test file; nothing that happens to `dist` meanwhile can disturb it. */
export function ownBundle(): Bundle {
  const folder = mkdtempSync(join(tmpdir(), 'tenantwatch-bundle-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['src', 'node_modules']) symlinkSync(join(root, name), join(folder, name))
  const migrations = join(folder, 'drizzle')
  mkdirSync(migrations)
  cpSync(join(root, 'drizzle'), migrations, { recursive: true })
  execFileSync(process.execPath, [join(root, 'tools/build.ts')], { cwd: folder })
  return { file: join(folder, 'dist/tenantwatch.js'), migrations }
}
