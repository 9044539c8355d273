import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { FatalError } from '../../model/errors.ts'
import { countDifferences } from '../records/record-counts.ts'
import { busyTimeoutOf } from './busy-timeout.ts'
import { Connection } from './connection.ts'
import { Database } from './database.ts'
import { type EngineLock, takeEngineLock } from './engine-lock.ts'
import { damageOf, type FileGuard, fileGuard, toBegin } from './file-guard.ts'
import { bringUpToDate, schemaAge } from './migrate.ts'
import { insistOnOneName, realFile } from './real-file.ts'
import { insistOnHealth, isQuicklyVerified } from './verify-file.ts'

export interface OpenedDatabase extends Disposable {
  readonly database: Database
  readonly guard: FileGuard
  /** False for a file so large that reading it for damage is left to the process that opens it: nothing may be written before. */
  readonly verified: boolean
}

/**
 * Opens the database for an engine: alone (the lock), made and migrated when needed, every commit on disk before it
 * counts.
 *
 * @throws FatalError in one sentence when it cannot be had; nothing is changed then.
 */
export function openForEngine(path: string): OpenedDatabase {
  const file = real(path)
  const umask = process.umask(0o077)
  try {
    makeFolder(dirname(file))
    insistOnOneName(file)
    const isForeign = isThere(file) && !existsSync(`${file}-lock`)
    const lock = takeEngineLock(file)
    try {
      return openWritable(file, lock)
    } catch (error) {
      // Beside what is no mirror, or was never opened, nothing is left.
      if (isForeign) rmSync(`${file}-lock`, { force: true })
      lock[Symbol.dispose]()
      throw error
    }
  } catch (error) {
    throw describe(error, file)
  } finally {
    process.umask(umask)
  }
}

/** True where something stands that SQLite would not begin again. */
function isThere(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats !== undefined && (stats.size > 0 || !stats.isFile())
}

/** Step by step: Node's `recursive` never ends where a parent takes no folder and answers ENOENT, as /proc does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}

function openWritable(file: string, lock: EngineLock): OpenedDatabase {
  // Before SQLite sees it: an empty file makes it throw away the write-ahead log that may be left of the lost one.
  if (lock.mirrorMade && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) throw gone(file)
  const raw = new Connection(file)
  let verified: boolean
  try {
    raw.pragma('temp_store = MEMORY')
    // What is erased after the retention must be gone from the file, and from copies of it, too.
    raw.pragma('secure_delete = ON')
    // Said before the first write: the migrations must be on disk like every commit after them.
    raw.pragma('synchronous = FULL')
    const age = schemaAge(raw, file)
    if (age === 'empty' && lock.mirrorMade) throw gone(file)
    verified = age !== 'current' || isQuicklyVerified(file)
    if (age === 'empty') raw.pragma('auto_vacuum = INCREMENTAL')
    else if (verified) insistOnHealth(raw, file, age === 'current' ? countDifferences() : [])
    raw.pragma('journal_mode = WAL')
    // A long reading lets the log grow past its end; afterwards it gives the room back.
    raw.pragma('journal_size_limit = 16777216')
    if (age !== 'current') bringUpToDate(raw)
    insistOnFullSync(raw, file)
    if (!lock.mirrorMade) lock.noteMirrorMade()
    for (const suffix of ['', '-wal', '-shm', '-lock']) {
      if (existsSync(file + suffix)) chmodSync(file + suffix, 0o600)
    }
  } catch (error) {
    raw.close()
    throw error
  }
  const guard = fileGuard(file)
  return {
    database: new Database(raw, { busyTimeout: busyTimeoutOf(raw), onError: (error) => guard.note(error) }),
    guard,
    verified,
    [Symbol.dispose]() {
      // What is left in the log of a lost file would be taken for part of the one that is put into its place.
      if (guard.moved) emptyLog(raw)
      raw.close()
      lock[Symbol.dispose]()
    },
  }
}

function emptyLog(raw: BetterSqlite3.Database): void {
  try {
    raw.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // Its own file is beyond reach; the sentence that ends the engine tells of it.
  }
}

function gone(file: string): FatalError {
  return new FatalError(`The mirror at ${file} is gone or empty although there was one; ${toBegin(file)}`)
}

/** `synchronous` drops to NORMAL by itself after the switch to WAL and a first write; then a power cut loses commits. */
function insistOnFullSync(raw: BetterSqlite3.Database, file: string): void {
  raw.transaction(() => raw.pragma(`user_version = ${raw.pragma('user_version', { simple: true })}`)).immediate()
  raw.pragma('synchronous = FULL')
  if (raw.pragma('synchronous', { simple: true }) !== 2)
    throw new FatalError(`${file} cannot be kept with synchronous=FULL`)
}

/** Opens the database beside a running engine, for commands that read and for `accept`. */
export function openBesideEngine(path: string): OpenedDatabase {
  const file = real(path)
  try {
    insistOnMirror(file)
    const raw = new Connection(file, { fileMustExist: true })
    try {
      raw.pragma('temp_store = MEMORY')
      raw.pragma('synchronous = FULL')
      if (schemaAge(raw, file) !== 'current') {
        throw new FatalError(
          `${file} has an older layout; run "tenantwatch sync" once with this version to bring it up to date`,
        )
      }
    } catch (error) {
      raw.close()
      throw error
    }
    const guard = fileGuard(file)
    return {
      database: new Database(raw, { onError: (error) => guard.note(error) }),
      guard,
      verified: false,
      [Symbol.dispose]: () => void raw.close(),
    }
  } catch (error) {
    throw describe(error, file)
  }
}

/**
 * Opens the database beside a running engine to copy it: it cannot be written through this, has whatever layout it has,
 * and stands still at the present instant while the engine goes on.
 */
export function openSnapshot(path: string): BetterSqlite3.Database {
  const file = real(path)
  try {
    insistOnMirror(file)
    const raw = new BetterSqlite3(file, { readonly: true, fileMustExist: true })
    try {
      raw.exec('begin')
      if (schemaAge(raw, file) === 'empty') throw noMirror(file)
      return raw
    } catch (error) {
      raw.close()
      throw error
    }
  } catch (error) {
    throw describe(error, file)
  }
}

function real(path: string): string {
  try {
    return realFile(path)
  } catch (error) {
    throw describe(error, path)
  }
}

function insistOnMirror(file: string): void {
  if (!existsSync(file) || statSync(file).size === 0) throw noMirror(file)
  insistOnOneName(file)
}

function noMirror(file: string): FatalError {
  return new FatalError(`There is no mirror at ${file} yet; run "tenantwatch sync" first`)
}

function describe(error: unknown, file: string): unknown {
  if (error instanceof FatalError || !(error instanceof Error)) return error
  const code = codeOf(error)
  return new FatalError(`The database ${file} cannot be opened (${code}); ${adviceFor(error, code, file)}`, {
    cause: error,
  })
}

function adviceFor(error: Error, code: string, file: string): string {
  if (damageOf(error) !== null) return `it is damaged: ${toBegin(file)}`
  if (code.startsWith('SQLITE_BUSY')) return 'another program writes to it and does not end; close that one'
  return `check that the file and its folder ${dirname(file)} exist, are writable for this user and have room`
}

/** The code of the error, or of what it was made of. */
export function codeOf(error: Error): string {
  if ('code' in error) return String(error.code)
  return error.cause instanceof Error ? codeOf(error.cause) : error.name
}
