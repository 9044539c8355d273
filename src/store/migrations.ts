import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FatalError } from '../model/errors.ts'
import { packageFile } from '../model/process/package-file.ts'

/** Folder of SQLite's migrations; its subfolder `postgres` has those of PostgreSQL. */
export function migrationsFolder(): string {
  const folder = packageFile('drizzle')
  if (folder === null) throw new FatalError('The folder "drizzle" with the database migrations is not installed')
  return folder
}

/** Text of a file of that folder, such as `views.sql`. */
export function sqlFile(...path: readonly string[]): string {
  return readFileSync(join(migrationsFolder(), ...path), 'utf8')
}
