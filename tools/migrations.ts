import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { postgresMigrations } from '../src/mirror/postgres/migrate.ts'
import { triggerStatements } from '../src/mirror/postgres/triggers.ts'
import { viewStatements } from '../src/mirror/postgres/views/index.ts'

/** Adds a migration for what changed in the tables, and for PostgreSQL in the triggers and views, which drizzle-kit does not
 * know. */
const root = join(import.meta.dirname, '..')
const folder = join(root, 'drizzle/postgres')
const separator = '\n--> statement-breakpoint\n'

function generate(...options: readonly string[]): void {
  const args = [join(root, 'node_modules/drizzle-kit/bin.cjs'), 'generate', ...options]
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

generate('--config', 'drizzle.config.ts')
generate('--config', 'drizzle.postgres.config.ts')

addWhereChanged('triggers', triggerStatements())
addWhereChanged('views', viewStatements())

function addWhereChanged(name: string, statements: readonly string[]): void {
  if (isCurrent(statements)) return
  generate('--config', 'drizzle.postgres.config.ts', '--custom', '--name', name)
  const { entries } = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
    readonly entries: readonly { readonly tag: string }[]
  }
  writeFileSync(join(folder, `${entries.at(-1)?.tag}.sql`), `${statements.join(separator)}\n`)
}

/** Each of these migrations has all triggers or all views; the last one counts. */
function isCurrent(wanted: readonly string[]): boolean {
  const [first = ''] = wanted
  const last = postgresMigrations().findLast(({ sql }) => sql[0]?.trim() === first)
  return last?.sql.map((text) => text.trim()).join('\n') === wanted.join('\n')
}
