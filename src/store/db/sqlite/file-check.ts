import { type Stats, statSync } from 'node:fs'
import { FatalError, SyncError } from '../../../model/errors.ts'
import { damaged, damageOf, restoreAdvice } from './file-errors.ts'
import { codeOf } from './store-error.ts'

/** Detects removed and replaced files. SQLite does not, and would continue to write into a file without a name. */
export interface FileCheck {
  /** @throws FatalError when files were moved or damage was recorded; SyncError `store` when they cannot be examined. */
  assertInPlace(): void
  /** Records an error of a statement: damage ends the engine at the next check. */
  note(error: unknown): void
  readonly isMoved: boolean
}

/** Opens no file: closing one releases all POSIX locks of the process on it. */
export function fileCheck(file: string): FileCheck {
  const watched = ['', '-wal', '-shm', '-lock'].flatMap((suffix) => {
    const path = file + suffix
    const opened = statSync(path, { throwIfNoEntry: false })
    return opened === undefined ? [] : [{ path, opened }]
  })
  let damage: string | null = null
  let isMoved = false
  return {
    get isMoved() {
      return isMoved
    },
    note(error) {
      damage ??= damageOf(error)
    },
    assertInPlace() {
      for (const { path, opened } of watched) {
        const problem = problemOf(path, opened)
        if (path === file) isMoved = problem === 'deleted' || problem === 'replaced'
        if (problem === null) continue
        const ended = `was ${problem} under the running engine, which ends here`
        if (path !== file) throw new FatalError(`${path} ${ended}; nothing is lost, start it again`)
        throw new FatalError(`The database ${file} ${ended}; ${restoreAdvice(file)}`)
      }
      if (damage !== null) throw damaged(file, damage)
    },
  }
}

function problemOf(path: string, opened: Stats): 'deleted' | 'emptied' | 'replaced' | null {
  const now = find(path)
  if (now === undefined) return 'deleted'
  if (now.dev !== opened.dev || now.ino !== opened.ino) return 'replaced'
  return now.size === 0 && !path.endsWith('-wal') && opened.size > 0 ? 'emptied' : null
}

/** A failed examination, as when a parent folder may not be searched, is not a problem of the file. */
function find(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new SyncError('store', `The database could not be examined (${codeOf(error)})`, { cause: error })
  }
}
