import { execFileSync } from 'node:child_process'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import type { Mirror } from '../../src/store/port.ts'
import { openMirror } from '../../src/store/sqlite/sqlite-mirror.ts'
import { leaveCheckpoints } from '../../src/store/sqlite/verify-file.ts'
import { damageIndex, largeMirror } from '../support/large-mirror.ts'
import { testMirror } from '../support/mirror.ts'

/**
 * Pages in the write-ahead log, and how many of them are in the file, too: SQLite's wal-index has both. Another process reads it,
 * because a process that closes a file gives up all its locks on that file.
 */
function logOf(path: string): { readonly written: number; readonly inFile: number } {
  const index = execFileSync('cat', [`${path}-shm`])
  return { written: index.readUInt32LE(16), inFile: index.readUInt32LE(96) }
}

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

it('finds an index that differs from its table', async () => {
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

it('checkpoints the log in the reading process, so that no commit has to', async () => {
  const path = await largeMirror()
  const mirror = opened(path)
  await mirror.openTenant('other', 'https://x', 1)
  expect(logOf(path)).toEqual({ written: expect.any(Number), inFile: 0 })
  await mirror.verify()
  const { written, inFile } = logOf(path)
  expect(inFile).toBeGreaterThan(0)
  expect(inFile).toBe(written)
})

it('leaves the log alone while another process reads, and keeps it short again afterwards', async () => {
  const path = await largeMirror()
  const raw = new BetterSqlite3(path)
  onTestFinished(() => void raw.close())
  raw.exec('create table x (y)')
  const fill = () => raw.prepare('insert into x values (randomblob(8000000))').run()
  const during = await leaveCheckpoints(raw, async () => {
    fill()
    return logOf(path)
  })
  expect(during.written).toBeGreaterThan(1900)
  expect(during.inFile).toBe(0)
  fill()
  expect(logOf(path).inFile).toBeGreaterThan(3800)
  await expect(leaveCheckpoints(raw, () => Promise.reject(new Error('ended')))).rejects.toThrow('ended')
  expect(raw.pragma('wal_autocheckpoint', { simple: true })).toBe(1000)
})

it('stops reading when it is aborted', async () => {
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
