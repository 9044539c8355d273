import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'
import { expect, it } from 'vitest'
import { postgresMigrations } from '../../../src/mirror/postgres/migrate.ts'
import { tables } from '../../../src/mirror/postgres/schema.ts'
import { triggerStatements } from '../../../src/mirror/postgres/triggers.ts'
import { viewStatements } from '../../../src/mirror/postgres/views/index.ts'
import * as schema from '../../../src/mirror/schema/index.ts'
import { mirrored } from '../../../src/mirror/schema/mirrored.ts'

const folder = join(import.meta.dirname, '../../../drizzle')

/** The tables as of the last migration. */
function lastSnapshot(path: string) {
  const read = (name: string) => JSON.parse(readFileSync(join(folder, path, 'meta', name), 'utf8'))
  const { idx } = read('_journal.json').entries.at(-1)
  return read(`${String(idx).padStart(4, '0')}_snapshot.json`)
}

it('has every change of the tables in the migrations of SQLite', async () => {
  const now = await generateSQLiteDrizzleJson({ ...schema, ...mirrored })
  expect(await generateSQLiteMigration(lastSnapshot('.'), now)).toEqual([])
})

it('has every change of the tables in the migrations of PostgreSQL', async () => {
  expect(await generateMigration(lastSnapshot('postgres'), generateDrizzleJson(tables))).toEqual([])
})

it.each([
  ['triggers', triggerStatements],
  ['views', viewStatements],
])('has the present %s in the last migration that makes them', (_, statements) => {
  const wanted = statements()
  const last = postgresMigrations().findLast(({ sql }) => sql[0]?.trim() === wanted[0])
  expect(last?.sql.map((text) => text.trim())).toEqual(wanted)
})

it('applies the migrations of PostgreSQL in the order of their times', () => {
  const times = postgresMigrations().map(({ folderMillis }) => folderMillis)
  expect(times.length).toBeGreaterThan(1)
  expect(times).toEqual([...times].sort((a, b) => a - b))
})
