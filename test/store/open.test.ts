import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openForEngine } from '../../src/store/db/sqlite/open.ts'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { testMirror } from '../support/mirror.ts'
import { temporaryFolder } from '../support/temporary.ts'

it('waits for the disk at each commit, and only reads to show, of a new database and an existing one', () => {
  const path = join(temporaryFolder(), 'mirror.db')
  for (let times = 0; times < 2; times++) {
    using opened = openForEngine(path)
    expect(opened.writer.pragma('synchronous', { simple: true })).toBe(2)
    expect(() => opened.reader.exec('delete from tenants')).toThrow(/readonly/)
  }
})

it('keeps the files for this user alone', () => {
  const { path } = testMirror()
  for (const suffix of ['', '-wal', '-lock']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600)
})

it('refuses a database of another program and leaves it as it is', () => {
  const path = join(temporaryFolder(), 'other.db')
  const other = new BetterSqlite3(path)
  other.exec('create table notes (text)')
  other.close()
  expect(() => openMirror(path, 'engine')).toThrow(/is a database of another program/)
  expect(new BetterSqlite3(path).prepare('select count(*) as n from notes').get()).toEqual({ n: 0 })
})

it('refuses a database without tables where there was a mirror', async () => {
  const path = join(temporaryFolder(), 'mirror.db')
  await openMirror(path, 'engine')[Symbol.asyncDispose]()
  rmSync(path)
  const other = new BetterSqlite3(path)
  other.pragma('user_version = 1')
  other.close()
  expect(() => openMirror(path, 'engine')).toThrow(/is gone or empty although there was one/)
})

it.runIf(existsSync('/proc/self'))('makes the folders it lacks, and ends where none can be made', async () => {
  const path = join(temporaryFolder(), 'a', 'b', 'mirror.db')
  await openMirror(path, 'engine')[Symbol.asyncDispose]()
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  expect(() => openMirror('/proc/none/mirror.db', 'engine')).toThrow(/\/proc\/none\/mirror\.db cannot be opened/)
})

const text = 'this is a text and no database, and it is long enough to be read as a header of one '.repeat(20)

it.each(['engine', 'beside'] as const)('calls a file that is no database damaged (%s)', (role) => {
  const folder = temporaryFolder()
  const path = join(folder, 'text.db')
  for (const content of [text, 'a-token']) {
    writeFileSync(path, content)
    expect(() => openMirror(path, role)).toThrow(/text\.db is damaged \(SQLITE_NOTADB\); restore a backup/)
  }
  expect(() => openMirror(folder, role)).toThrow(/ is a folder; .*store\.path/)
})

it('fails soon while another program locks the database; reads go on, and a write succeeds afterwards', async () => {
  const { path, mirror } = testMirror()
  const other = new BetterSqlite3(path)
  other.exec('begin immediate')
  const write = () => mirror.openTenant('acme', 'https://api.example.com', 1)
  const began = performance.now()
  await expect(write()).rejects.toMatchObject({ reason: 'store', cause: { code: 'SQLITE_BUSY' } })
  expect(performance.now() - began).toBeLessThan(900)
  expect(await mirror.tenants()).toEqual([])
  other.exec('commit')
  other.close()
  await write()
  expect((await mirror.tenants()).map(({ name }) => name)).toEqual(['acme'])
})
