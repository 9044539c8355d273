import { mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fileGuard } from '../../src/store/sqlite/file-guard.ts'
import { openMirror } from '../../src/store/sqlite/sqlite-mirror.ts'
import { temporaryFolder } from '../support/temporary.ts'

it('ends no engine because the file cannot be looked at just now', () => {
  const folder = join(temporaryFolder(), 'store')
  mkdirSync(folder)
  writeFileSync(join(folder, 'mirror.db'), '')
  using guard = fileGuard(join(folder, 'mirror.db'))
  renameSync(folder, `${folder}-away`)
  symlinkSync(folder, folder)
  expect(() => guard.insist()).toThrow(
    expect.objectContaining({ reason: 'store', message: 'The database could not be examined (ELOOP)' }),
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
