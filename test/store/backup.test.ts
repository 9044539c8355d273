import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it } from 'vitest'
import { type BackupOptions, backUpMirror } from '../../src/store/db/sqlite/backup.ts'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { testMirror } from '../support/mirror.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { incomingUser } from './support/incoming-user.ts'

const at = Date.UTC(2026, 0, 1)

const user = (userId: number) => incomingUser(userId, { lastName: 'Byron '.repeat(50) })

/** A mirror with some users whose engine is open, and a folder for backups. */
async function world() {
  const test = testMirror()
  const { tenant } = await test.mirror.openTenant('acme', 'https://api.example.com', at)
  let last = 0
  /** Commits a page of new users with the cursor that follows them. */
  const commit = (count: number) => {
    const items = Array.from({ length: count }, () => user(++last))
    return test.mirror.commitPage({
      tenantId: tenant.id,
      resource: 'users',
      items,
      at,
      requestId: 'r1',
      recordCreations: true,
      cursor: String(last),
    })
  }
  await commit(200)
  const folder = temporaryFolder()
  const target = join(folder, 'backup.db')
  const back = (more: Partial<BackupOptions> = {}) =>
    backUpMirror({ from: test.path, to: target, signal: new AbortController().signal, ...more })
  return { ...test, commit, folder, target, back }
}

/** Does something again and again until a backup is made. */
async function whileIn<T>(backup: Promise<T>, work: () => unknown): Promise<T> {
  let isMade = false
  const made = backup.finally(() => {
    isMade = true
  })
  while (!isMade) {
    await work()
    await nextTurn()
  }
  return await made
}

/** The result of opening a file as it is. */
function look(file: string) {
  const db = new BetterSqlite3(file, { readonly: true })
  try {
    return {
      users: Number(db.prepare('select count(*) from users').pluck().get()),
      cursor: db.prepare("select cursor from sync_states where resource = 'users'").pluck().get(),
      schema: db.prepare('select type, name, sql from sqlite_master order by name').all(),
      settings: ['application_id', 'user_version'].map((name) => db.pragma(name, { simple: true })),
      health: db.pragma('integrity_check', { simple: true }),
    }
  } finally {
    db.close()
  }
}

it('copies one instant of the mirror while the engine continues to write', async () => {
  const { commit, path, target, back } = await world()
  await commit(1000)
  const then = look(path)
  let later = 0
  const made = await whileIn(back(), async () => {
    await commit(10)
    later += 10
  })
  expect(look(target)).toEqual(then)
  expect(later).toBeGreaterThan(20)
  expect(look(path).users).toBe(1200 + later)
  expect(made).toMatchObject({ file: target, records: 1200, bytes: statSync(target).size })
})

it('makes a file for its owner alone that opens without another one beside it', async () => {
  const { folder, target, back } = await world()
  await back()
  expect(readdirSync(folder)).toEqual(['backup.db'])
  expect(statSync(target).mode & 0o777).toBe(0o600)
  const db = new BetterSqlite3(target)
  expect(db.pragma('journal_mode', { simple: true })).toBe('delete')
  expect(db.prepare('select count(*) from users').pluck().get()).toBe(200)
  expect(readdirSync(folder)).toEqual(['backup.db'])
  db.close()
})

it('contains data that is only in the log of a killed engine', async () => {
  const { path, target, back } = await world()
  const crashed = join(temporaryFolder(), 'mirror.db')
  for (const suffix of ['', '-wal']) writeFileSync(crashed + suffix, readFileSync(path + suffix))
  expect(statSync(`${crashed}-wal`).size).toBeGreaterThan(0)
  await back({ from: crashed })
  expect(look(target)).toEqual(look(path))
})

it('leaves the old backup in place until the new one is whole', async () => {
  const { commit, target, back } = await world()
  await back()
  const old = readFileSync(target)
  await commit(50)
  await whileIn(back(), () => expect(readFileSync(target).equals(old)).toBe(true))
  expect(look(target).users).toBe(250)
})

it('leaves everything as it was when it is stopped', async () => {
  const { commit, folder, target, back } = await world()
  await back()
  const old = readFileSync(target)
  await commit(50)
  const stopping = new AbortController()
  const stopped = back({ signal: stopping.signal })
  stopping.abort()
  await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
  expect(readFileSync(target).equals(old)).toBe(true)
  expect(readdirSync(folder)).toEqual(['backup.db'])
})

it('follows a symbolic link to the file that it names', async () => {
  const { folder, target, back } = await world()
  await back()
  const link = join(folder, 'latest.db')
  symlinkSync('backup.db', link)
  expect(await back({ to: link })).toMatchObject({ file: target })
  expect(readdirSync(folder).toSorted()).toEqual(['backup.db', 'latest.db'])
})

type World = Awaited<ReturnType<typeof world>>

const refused: Readonly<Record<string, readonly [prepare: (world: World) => string, output: RegExp]>> = {
  'the mirror itself': [({ path }) => path, /mirror\.db is, or was, part of a database in use/],
  'a symbolic link to the mirror': [
    ({ path, target }) => {
      symlinkSync(path, target)
      return target
    },
    /^\S+mirror\.db is, or was, part of a database in use/,
  ],
  'the log of the mirror': [({ path }) => `${path}-wal`, /-wal is, or was, part of a database in use/],
  'the lock of the mirror': [({ path }) => `${path}-lock`, /-lock is, or was, part of a database in use/],
  'a folder': [({ folder }) => `${folder}/`, /is no backup of tenantwatch and is left as it is/],
  'a missing folder': [({ folder }) => join(folder, 'not', 'x.db'), /^There is no folder \S+\/not for the backup/],
  'a name that is too long': [({ target }) => target + 'x'.repeat(255), / is too long/],
  'a device': [() => '/dev/null', /null is no backup of tenantwatch/],
  'a text': [
    ({ target }) => {
      writeFileSync(target, 'precious')
      return target
    },
    /backup\.db is no backup of tenantwatch and is left as it is/,
  ],
  'the database of another program': [
    ({ target }) => {
      new BetterSqlite3(target).exec('create table notes (text)').close()
      return target
    },
    /backup\.db is no backup of tenantwatch and is left as it is/,
  ],
}

it.each(Object.entries(refused))(
  'refuses %s as a target in one sentence and changes nothing',
  async (_, [make, output]) => {
    const one = await world()
    const to = make(one)
    const places = [one.folder, dirname(one.path)]
    const shown = () => places.map((place) => readdirSync(place, { recursive: true, encoding: 'utf8' }).toSorted())
    const contents = () => (existsSync(one.target) && statSync(one.target).isFile() ? readFileSync(one.target) : null)
    const before = [shown(), contents()]
    const failed = one.back({ to })
    await expect(failed).rejects.toMatchObject({ name: 'UsageError', message: expect.stringMatching(output) })
    expect([shown(), contents()]).toEqual(before)
    await one.mirror.ping()
  },
)

const remainsOf = (folder: string, hours: number) => {
  const remains = mkdtempSync(join(folder, '.tenantwatch-backup-'))
  for (const name of ['backup.db', 'backup.db-journal']) writeFileSync(join(remains, name), '')
  const then = Date.now() / 1000 - hours * 3600
  utimesSync(remains, then, then)
  return basename(remains)
}

it('removes what a killed backup left, under whatever name, a day later; a backup in progress stays', async () => {
  const { folder, back } = await world()
  remainsOf(folder, 25)
  const inProgress = remainsOf(folder, 23)
  await back({ to: join(folder, 'another.db') })
  expect(readdirSync(folder).toSorted()).toEqual([inProgress, 'another.db'].toSorted())
})

it('keeps the old backup when the mirror is damaged', async () => {
  const { target, back, folder } = await world()
  await back()
  const old = readFileSync(target)
  const damaged = join(temporaryFolder(), 'mirror.db')
  const bytes = Buffer.from(old)
  // Pages of records, which no opening reads.
  for (let page = bytes.length / 4096 - 10; page * 4096 < bytes.length; page++) {
    bytes.fill(0xa5, page * 4096, page * 4096 + 512)
  }
  writeFileSync(damaged, bytes)
  await expect(back({ from: damaged })).rejects.toMatchObject({
    name: 'FatalError',
    message: expect.stringMatching(
      /^No backup was made: \S+mirror\.db, or its copy on the disk of \S+, is damaged \(.+\); restore a backup/,
    ),
  })
  expect(readFileSync(target).equals(old)).toBe(true)
  expect(readdirSync(folder)).toEqual(['backup.db'])
})

it('copies a mirror of an older layout, so that there is a way back from an upgrade', async () => {
  const { mirror, path, target, back } = await world()
  await mirror[Symbol.asyncDispose]()
  const older = new BetterSqlite3(path)
  older.exec('delete from __drizzle_migrations; drop table events')
  older.close()
  expect(() => openMirror(path, 'beside')).toThrow(/has an older layout/)
  expect(await back()).toMatchObject({ records: 200, syncedAt: null })
  expect(look(target)).toEqual(look(path))
})
