import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { FatalError, SyncError } from '../../model/errors.ts'
import { codeOf } from './connection.ts'
import { applicationId } from './migrate.ts'

const beside = ['-wal', '-shm', '-lock'] as const
const headerBytes = 100

/** Detects removed and replaced files. SQLite does not, and would continue to write into a file without a name. */
export interface FileGuard extends Disposable {
  /** @throws FatalError when files were replaced or damage was found; SyncError `store` when they cannot be read. */
  insist(): void
  note(error: unknown): void
  readonly moved: boolean
}

/** Dispose of it after the connection is closed: closing a file releases all POSIX locks of the process on it. */
export function fileGuard(file: string): FileGuard {
  const fd = openSync(file, 'r')
  let closed = false
  const find = (path: string) => statSync(path, { throwIfNoEntry: false })
  const opened = find(file)
  const others = beside.flatMap((suffix) => {
    const path = file + suffix
    const stats = find(path)
    return stats === undefined ? [] : [{ path, stats }]
  })
  let largest = opened?.size ?? 0
  let damage: string | null = null
  let moved = false

  function problemOfFile(): string | null {
    const now = find(file)
    moved = now === undefined || !isSame(opened, now)
    if (now === undefined) return 'was deleted'
    if (moved) return 'was replaced by another file'
    // Only if the file shrank, because a checkpoint writes the header before new pages.
    if (now.size < largest && now.size < sizeByHeader(headerOf(fd))) return 'was cut short'
    largest = now.size
    const id = idIn(headerOf(fd))
    return id === applicationId || id === 0 ? null : 'was overwritten'
  }

  return {
    get moved() {
      return moved
    },
    note(error) {
      damage ??= damageOf(error)
    },
    insist() {
      const problem = looking(problemOfFile)
      if (problem !== null) {
        throw new FatalError(
          `The database ${file} ${problem} under the running engine, which ends here; ${toBegin(file, problem === 'was deleted' ? 'gone' : 'there')}`,
        )
      }
      for (const { path, stats } of others) {
        const now = find(path)
        if (now !== undefined && isSame(stats, now)) continue
        const what = now === undefined ? 'deleted' : 'replaced'
        throw new FatalError(
          `${path} was ${what} under the running engine, which ends here; nothing is lost, start it again`,
        )
      }
      if (damage !== null) throw damaged(file, damage)
    },
    [Symbol.dispose]() {
      // Do not close twice: the descriptor may then be another file's.
      if (!closed) closeSync(fd)
      closed = true
    },
  }
}

/** A failed inspection, as when file descriptors run out, is not a problem of the file. */
function looking<T>(look: () => T): T {
  try {
    return look()
  } catch (error) {
    const code = codeOf(error)
    const hint = code === 'EMFILE' || code === 'ENFILE' ? { hint: 'Allow the process more open files' } : {}
    throw new SyncError('store', `The database could not be examined (${code})`, { cause: error, ...hint })
  }
}

/** Advice about a lost database, whose file still exists or is gone. */
export function toBegin(file: string, state: 'there' | 'gone' = 'there'): string {
  const files = state === 'gone' ? `${file}-lock` : `${file} and ${file}-lock`
  return `restore a backup (without the old -wal file beside it), or move ${files} away to begin again without its history`
}

/** Nothing is repaired or overwritten; the operator decides. */
export function damaged(file: string, how: string): FatalError {
  return new FatalError(`The database ${file} is damaged (${how}); ${toBegin(file)}`)
}

export function damageOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const code = codeOf(error)
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) return code
  return error.cause === undefined ? null : damageOf(error.cause)
}

function isSame(known: Stats | undefined, now: Stats): boolean {
  return known !== undefined && known.dev === now.dev && known.ino === now.ino
}

function headerOf(fd: number): Buffer {
  const header = Buffer.alloc(headerBytes)
  readSync(fd, header, 0, headerBytes, 0)
  return header
}

/** SQLite file format, section 1.3: page size at 16 (1 means 65,536), pages at 28. */
function sizeByHeader(header: Buffer): number {
  const pageSize = header.readUInt16BE(16)
  const pages = header.readUInt32BE(28)
  return pageSize === 0 ? Number.POSITIVE_INFINITY : pages * (pageSize === 1 ? 65_536 : pageSize)
}

/** SQLite file format, section 1.3: magic text at 0, id at 68, 0 until the first checkpoint; null = another format. */
function idIn(header: Buffer): number | null {
  return header.toString('latin1', 0, 16) === 'SQLite format 3\0' ? header.readUInt32BE(68) : null
}

/** Application id of a file to which this process has no connection. */
export function applicationIdOf(file: string): number | null {
  const fd = openSync(file, 'r')
  try {
    return idIn(headerOf(fd))
  } finally {
    closeSync(fd)
  }
}
