import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FatalError } from '../../src/model/errors.ts'
import { fileCheck } from '../../src/store/db/sqlite/file-check.ts'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { temporaryFolder } from '../support/temporary.ts'

it('ends no engine because the file cannot be looked at just now', () => {
  const folder = join(temporaryFolder(), 'store')
  mkdirSync(folder)
  writeFileSync(join(folder, 'mirror.db'), '')
  const check = fileCheck(join(folder, 'mirror.db'))
  renameSync(folder, `${folder}-away`)
  symlinkSync(folder, folder)
  expect(() => check.assertInPlace()).toThrow(
    expect.objectContaining({ reason: 'store', message: expect.stringContaining('ELOOP') }),
  )
})

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
  ['deleted', '', rmSync, /mirror\.db was deleted .*restore a backup .*mirror\.db-lock/],
  ['replaced', '', replace, /mirror\.db was replaced .*restore a backup/],
  ['emptied', '', truncateSync, /mirror\.db was emptied .*restore a backup/],
  ['deleted', '-wal', rmSync, /mirror\.db-wal was deleted .*nothing is lost/],
  ['replaced', '-shm', replace, /mirror\.db-shm was replaced .*nothing is lost/],
  ['deleted', '-lock', rmSync, /mirror\.db-lock was deleted .*nothing is lost/],
] as const)('ends the engine when a file was %s: mirror.db%s', (_, suffix, act, sentence) => {
  const file = files()
  const check = fileCheck(file)
  check.assertInPlace()
  act(file + suffix)
  expect(() => check.assertInPlace()).toThrow(FatalError)
  expect(() => check.assertInPlace()).toThrow(sentence)
  expect(check.isMoved).toBe(suffix === '' && act !== truncateSync)
})

it('is not disturbed by a log that a checkpoint empties, or by files that appear later', () => {
  const file = files()
  rmSync(`${file}-shm`)
  const check = fileCheck(file)
  truncateSync(`${file}-wal`)
  writeFileSync(`${file}-shm`, '')
  check.assertInPlace()
})

it('ends the engine after a statement found damage, also as the cause of another error', () => {
  const check = fileCheck(files())
  check.note(new Error('a bug'))
  check.assertInPlace()
  const cause = Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT_INDEX' })
  check.note(new Error('failed', { cause }))
  expect(() => check.assertInPlace()).toThrow(/is damaged \(SQLITE_CORRUPT_INDEX\)/)
})
