import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FatalError } from '../model/errors.ts'

/** Those of SQLite; its folder `postgres` has those of PostgreSQL. Searches upwards, since this file is in a bundle or among the sources. */
export function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'drizzle', 'meta', '_journal.json'))) {
    const parent = dirname(folder)
    if (parent === folder) throw new FatalError('The folder "drizzle" with the database migrations is not installed')
    folder = parent
  }
  return join(folder, 'drizzle')
}
