import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { damageIndex, enlarge } from '../support/large-mirror.ts'
import { withDatabase } from '../support/sqlite.ts'
import { cli, synced } from './support/cli.ts'

/** Nobody listens there: whatever is refused is refused before the database is asked. */
const nowhere = 'postgres://tenantwatch@127.0.0.1:1/mirror'

async function world() {
  const one = await synced({ simulator: { sizes: { users: 5, documents: 5 } } })
  one.env['TENANTWATCH_STORE_URL'] = nowhere
  return {
    ...one,
    /** Another mirror, changed past everything that guards it. */
    changed(name: string, change: (path: string) => void): string {
      const path = `${one.folder}/${name}`
      withDatabase(one.store, (raw) => raw.exec(`vacuum into '${path}'`))
      change(path)
      return path
    },
    async refusal(file: string): Promise<string> {
      const { code, stdout, stderr } = await one.run('migrate-store', '--from', file)
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      return stderr
    },
  }
}

it('wants a file and a database', async () => {
  const { run } = await cli({ simulator: null })
  for (const args of [[], ['--from', ''], ['--from', 'data/mirror.db']])
    expect(await run('migrate-store', ...args)).toMatchObject({ code: 2, stdout: '' })
})

it('refuses a file that is missing or no mirror, and leaves no lock beside it', async () => {
  const { refusal, run, files, read } = await world()
  expect(await run('migrate-store', '--from', 'nowhere.db')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^tenantwatch: --from names \S+nowhere\.db, which does not exist or is empty\n$/),
  })
  const before = [files(), read('tenantwatch.yaml')]
  expect(await refusal('tenantwatch.yaml')).toMatch(/ is damaged \(SQLITE_NOTADB\); /)
  expect([files(), read('tenantwatch.yaml')]).toEqual(before)
})

it('refuses a damaged file', async () => {
  const { changed, refusal } = await world()
  const damaged = (path: string) => {
    enlarge(path)
    damageIndex(path)
  }
  expect(await refusal(changed('index.db', damaged))).toMatch(/index\.db is damaged \(.*records_problem.*\); /)
})

it('refuses an older or newer layout with the way out', async () => {
  const { changed, refusal } = await world()
  const shift = (by: string) => (path: string) =>
    withDatabase(path, (raw) => raw.exec(`update __drizzle_migrations set created_at = created_at ${by}`))
  expect(await refusal(changed('older.db', shift('- 1')))).toMatch(
    /older\.db has an older layout; run "tenantwatch sync"/,
  )
  expect(await refusal(changed('newer.db', shift('+ 1')))).toMatch(/newer\.db was written by a newer tenantwatch; /)
})

it('runs only with no engine on the file', async () => {
  const { refusal, store } = await world()
  await using _engine = openMirror(store, 'engine')
  expect(await refusal(store)).toMatch(/Another tenantwatch engine .* is working on .*; stop it first/)
})

it('leaves the file as it is, and a backup without a lock, when the database cannot be reached', async () => {
  const { changed, refusal, store, folder } = await world()
  const backup = changed('backup.db', (path) => withDatabase(path, (raw) => raw.pragma('journal_mode = DELETE')))
  const before = [store, backup].map((file) => readFileSync(file, 'latin1'))
  const names = readdirSync(folder)
  for (const file of [store, backup]) {
    expect(await refusal(file)).toMatch(
      /^tenantwatch: The database "mirror" at 127\.0\.0\.1:1 cannot be used: the database server cannot be reached .*\n$/,
    )
  }
  expect([store, backup].map((file) => readFileSync(file, 'latin1'))).toEqual(before)
  expect(readdirSync(folder)).toEqual(names)
})
