import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { postgresMigrations } from '../src/store/db/postgres/migrate.ts'
import { derivedMigration, isDerivedMigration } from '../src/store/postgres/derived.ts'

/** Adds a migration for what changed in the tables. drizzle-kit does not know the triggers and views of PostgreSQL, which any
 * migration makes again: where they changed, its first line says so; where they alone did, it has no statement. */
const root = join(import.meta.dirname, '..')
const folder = join(root, 'drizzle/postgres')

function generate(...options: readonly string[]): void {
  const args = [join(root, 'node_modules/drizzle-kit/bin.cjs'), 'generate', ...options]
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function newest(): string {
  const { entries } = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
    readonly entries: readonly { readonly tag: string }[]
  }
  return join(folder, `${entries.at(-1)?.tag}.sql`)
}

generate('--config', 'drizzle.config.ts')
const before = newest()
generate('--config', 'drizzle.postgres.config.ts')

const wanted = derivedMigration()
if (postgresMigrations().findLast(isDerivedMigration)?.sql[0]?.trim() !== wanted) {
  const isOfTables = newest() !== before
  if (!isOfTables) generate('--config', 'drizzle.postgres.config.ts', '--custom', '--name', 'triggers_and_views')
  const statements = isOfTables ? `--> statement-breakpoint\n${readFileSync(newest(), 'utf8')}` : ''
  writeFileSync(newest(), `${wanted}\n${statements}`)
}
