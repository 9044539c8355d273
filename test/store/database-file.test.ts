import { readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FatalError } from '../../src/model/errors.ts'
import { assertInPlace, openFilesOf } from '../../src/store/db/sqlite/database-file.ts'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { temporaryFolder } from '../support/temporary.ts'

it.runIf(process.platform === 'linux')(
  'keeps the lock that tells other programs of the engine, however often it looks',
  async () => {
    const path = join(temporaryFolder(), 'mirror.db')
    await using mirror = openMirror(path, 'engine')
    const { ino } = statSync(path)
    // The name of a POSIX lock is the number of the file, at the end of `major:minor:inode`.
    const isLocked = () =>
      readFileSync('/proc/locks', 'utf8')
        .split('\n')
        .some((line) => new RegExp(`POSIX .* READ +${process.pid} \\S+:${ino} `).test(line))
    expect(isLocked()).toBe(true)
    for (let times = 0; times < 3; times++) await mirror.ping()
    expect(isLocked()).toBe(true)
  },
)

const files = () => {
  const file = join(temporaryFolder(), 'mirror.db')
  for (const suffix of ['', '-wal', '-shm', '-lock']) writeFileSync(file + suffix, 'content')
  return file
}

const replace = (path: string) => {
  writeFileSync(`${path}-new`, 'content')
  renameSync(`${path}-new`, path)
}

it.each([
  ['emptied', '', truncateSync, /mirror\.db was emptied .*restore a backup/],
  ['deleted', '-wal', rmSync, /mirror\.db-wal was deleted .*nothing is lost/],
  ['replaced', '-shm', replace, /mirror\.db-shm was replaced .*nothing is lost/],
] as const)('ends the engine when a file was %s: mirror.db%s', (_, suffix, act, sentence) => {
  const file = files()
  const opened = openFilesOf(file)
  assertInPlace(file, opened)
  act(file + suffix)
  expect(() => assertInPlace(file, opened)).toThrow(FatalError)
  expect(() => assertInPlace(file, opened)).toThrow(sentence)
})

it('is not disturbed by a log that a checkpoint empties, or by files that appear later', () => {
  const file = files()
  rmSync(`${file}-shm`)
  const opened = openFilesOf(file)
  truncateSync(`${file}-wal`)
  writeFileSync(`${file}-shm`, '')
  assertInPlace(file, opened)
})
