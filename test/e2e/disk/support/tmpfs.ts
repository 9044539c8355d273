import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'

/** A small file system of its own, unmounted when the test is over. */
export interface SmallDisk {
  readonly folder: string
  /** Takes all room that is left. */
  fill(): void
  free(): void
}

export function smallDisk(kib: number): SmallDisk {
  const folder = join(temporaryFolder(), 'disk')
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tenantwatch-test', folder])
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill() {
      const fd = openSync(ballast, 'w')
      try {
        for (let size = 0; size <= kib * 1024; size += 4096) writeSync(fd, Buffer.alloc(4096, 1))
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      } finally {
        closeSync(fd)
      }
    },
    free: () => rmSync(ballast, { force: true }),
  }
}
