import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import type { Mirror } from '../../src/mirror/port.ts'
import { openMirror } from '../../src/mirror/sqlite-mirror.ts'
import { damageIndex, largeMirror } from '../support/large-mirror.ts'
import { testMirror } from '../support/mirror.ts'

function opened(path: string): Mirror {
  const mirror = openMirror(path, 'engine')
  onTestFinished(() => mirror[Symbol.asyncDispose]())
  return mirror
}

it('opens a large mirror unread and reads it when asked', async () => {
  const mirror = opened(await largeMirror())
  expect(mirror.isVerified()).toBe(false)
  await mirror.verify()
  expect(mirror.isVerified()).toBe(true)
})

it('knows a new and a small mirror to be sound from the start', async () => {
  const { path, mirror } = testMirror()
  expect(mirror.isVerified()).toBe(true)
  await mirror[Symbol.asyncDispose]()
  await using again = openMirror(path, 'engine')
  expect(again.isVerified()).toBe(true)
})

it('finds an index that does not hold what its table does', async () => {
  const path = await largeMirror()
  damageIndex(path)
  const mirror = opened(path)
  await expect(mirror.verify()).rejects.toThrow(/is damaged \(.*users_posture.*\); restore a backup/)
  expect(mirror.isVerified()).toBe(false)
})

it('finds counts that do not agree with the records', async () => {
  const path = await largeMirror()
  const raw = new BetterSqlite3(path)
  raw.exec(`insert into record_counts values (1, 'users', 'state,roleId,roleName', '["Active",null,"Member"]', 1)`)
  raw.close()
  await expect(opened(path).verify()).rejects.toThrow(/damaged \(its counts do not agree with its records\)/)
})

it('finds them in a small mirror at its opening', async () => {
  const { path, mirror } = testMirror()
  await mirror[Symbol.asyncDispose]()
  const raw = new BetterSqlite3(path)
  raw.exec(`insert into record_counts values (1, 'roles', 'state', '["Active"]', 1)`)
  expect(() => openMirror(path, 'engine')).toThrow(/its counts do not agree with its records/)
  raw.exec('delete from record_counts')
  raw.close()
})

it('ends the reading when told to', async () => {
  const mirror = opened(await largeMirror())
  const stop = new AbortController()
  const reading = mirror.verify(stop.signal)
  stop.abort(new Error('shutting down'))
  await expect(reading).rejects.toThrow('shutting down')
  expect(mirror.isVerified()).toBe(false)
})

it('reads the file itself where it can start no process', async () => {
  const path = await largeMirror()
  damageIndex(path)
  const mirror = opened(path)
  const { execPath } = process
  onTestFinished(() => {
    process.execPath = execPath
  })
  process.execPath = '/nowhere/node'
  await expect(mirror.verify()).rejects.toThrow(/is damaged/)
})
