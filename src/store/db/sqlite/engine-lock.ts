import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { dayMs, minuteMs } from '../../../model/durations.ts'
import { EngineRunning, FatalError } from '../../../model/errors.ts'
import { realFile, writtenAt } from './database-file.ts'
import { codeOf, isDamage } from './store-error.ts'

const contentionMs = 500

export interface EngineLock extends Disposable {
  /** True if a mirror was created here before, so that a missing or empty one was lost. */
  readonly mirrorMade: boolean
  /**
   * Last write to the mirror before it was verified, if only engines that ended in order have written to it since, for
   * less than a day; null otherwise.
   */
  readonly verifiedAt: number | null
  /** A mirror exists, of which nothing is known until `recordVerified`. */
  recordMirrorMade(): void
  /** Call once the mirror is closed. */
  recordVerified(at: number): void
}

/**
 * The header of the lock file holds what an engine leaves to the next one, because a crash cannot leave one page half
 * written. `user_version` is 0 before there is a mirror, 1 for one of which nothing is known, otherwise the time of the
 * last write before its verification, in minutes since the epoch. `application_id` is the fingerprint of the mirror that the engine left.
 */
interface Header {
  readonly user_version: number
  readonly application_id: number
}

/** @throws FatalError when another engine has the lock; the operating system releases it even after SIGKILL. */
export function takeEngineLock(file: string): EngineLock {
  const lock = new BetterSqlite3(`${file}-lock`, { timeout: contentionMs })
  try {
    // No journal file for a page that is written once.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('begin exclusive')
    // Only after the lock is taken: in this mode a waiting engine would keep its shared lock, and all would fail.
    lock.pragma('locking_mode = EXCLUSIVE')
    const header = headerOf(lock)
    const write = (next: Header) => {
      for (const [name, value] of Object.entries(next)) lock.pragma(`${name} = ${value}`)
    }
    return {
      mirrorMade: isMirrorMade(header),
      verifiedAt: verifiedAt(header, file),
      recordMirrorMade() {
        write({ user_version: 1, application_id: 0 })
        // The lock stays: in exclusive locking mode only closing releases it.
        lock.exec('commit')
      },
      recordVerified: (at) => write({ user_version: Math.floor(at / minuteMs), application_id: fingerprintOf(file) }),
      [Symbol.dispose]: () => void lock.close(),
    }
  } catch (error) {
    lock.close()
    throw lockError(error, file)
  }
}

function lockError(error: unknown, file: string): unknown {
  const code = codeOf(error)
  if (code.startsWith('SQLITE_BUSY')) {
    const message = `Another tenantwatch engine (run, sync or demo) is working on ${file}; stop it first`
    return new EngineRunning(message, { cause: error })
  }
  if (!isDamage(code)) return error
  return new FatalError(`The lock file ${file}-lock is damaged; delete it and start again`, { cause: error })
}

function headerOf(lock: BetterSqlite3.Database): Header {
  const read = (name: keyof Header) => Number(lock.pragma(name, { simple: true }))
  return { user_version: read('user_version'), application_id: read('application_id') }
}

function isMirrorMade({ user_version }: Header): boolean {
  return user_version > 0
}

function verifiedAt({ user_version, application_id }: Header, file: string): number | null {
  const at = user_version * minuteMs
  return writtenAt(file) - at < dayMs && application_id === fingerprintOf(file) ? at : null
}

/** Changes with each write to the file. */
function fingerprintOf(file: string): number {
  const { ino, size, mtimeMs, ctimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {}
  return hash('sha256', JSON.stringify([ino, size, mtimeMs, ctimeMs]), 'buffer').readInt32LE()
}

export interface LockState {
  /** Null when unknown, as without permission to read the lock. */
  readonly held: boolean | null
  readonly mirrorMade: boolean | null
  readonly verifiedAt: number | null
}

/** Does not wait for the lock or prevent an engine from starting. */
export function lockStateOf(path: string): LockState {
  let lock: BetterSqlite3.Database | undefined
  try {
    const mirror = realFile(path)
    const file = `${mirror}-lock`
    if (statSync(file, { throwIfNoEntry: false }) === undefined)
      return { held: false, mirrorMade: false, verifiedAt: null }
    lock = new BetterSqlite3(file, { readonly: true, fileMustExist: true, timeout: 0 })
    const header = headerOf(lock)
    return { held: false, mirrorMade: isMirrorMade(header), verifiedAt: verifiedAt(header, mirror) }
  } catch (error) {
    // While an engine has its exclusive lock, nobody else can read the file.
    return { held: codeOf(error).startsWith('SQLITE_BUSY') ? true : null, mirrorMade: null, verifiedAt: null }
  } finally {
    lock?.close()
  }
}
