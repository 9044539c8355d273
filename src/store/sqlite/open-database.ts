import { accessSync, chmodSync, constants, existsSync, rmSync, statSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { FatalError } from '../../model/errors.ts'
import { makeFolder } from '../../model/process/make-folder.ts'
import { sqliteDialect } from '../db/sqlite/dialect.ts'
import type { Connections } from '../db/sqlite/sqlite-db.ts'
import { countDifferences } from '../records/record-counts.ts'
import { Connection, codeOf } from './connection.ts'
import { type EngineLock, insistOnOneName, lockStateOf, realFile, takeEngineLock } from './engine-lock.ts'
import { applicationIdOf, damageOf, type FileGuard, fileGuard, toBegin } from './file-guard.ts'
import { bringUpToDate, schemaAge } from './migrate.ts'
import { insistOnHealth, isQuicklyVerified } from './verify-file.ts'

export interface OpenedDatabase extends Disposable {
  readonly connections: Connections
  readonly guard: FileGuard
  /** False for a file that is too large to verify when it is opened; verify it before the first write. */
  readonly verified: boolean
}

/** @throws FatalError when the database cannot be opened, created or migrated; nothing is changed then. */
export function openForEngine(path: string): OpenedDatabase {
  const file = real(path)
  const umask = process.umask(0o077)
  try {
    makeFolder(dirname(file), 0o700)
    insistOnOneName(file)
    const isForeign = isThere(file) && !existsSync(`${file}-lock`)
    const lock = takeEngineLock(file)
    try {
      return openWritable(file, lock)
    } catch (error) {
      // Leaves no lock file beside a file that is not a mirror.
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

/** False also for an empty file, of which SQLite would make a new database. */
function isThere(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats !== undefined && (stats.size > 0 || !stats.isFile())
}

function openWritable(file: string, lock: EngineLock): OpenedDatabase {
  // Before SQLite opens an empty file, because that deletes the write-ahead log of the lost one.
  if (lock.mirrorMade && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) throw gone(file)
  const raw = new Connection(file)
  let verified: boolean
  try {
    raw.pragma('temp_store = MEMORY')
    // Erased data must be gone from the file and its copies, too.
    raw.pragma('secure_delete = ON')
    // Before the first write, so that migrations are on disk, too.
    raw.pragma('synchronous = FULL')
    const age = schemaAge(raw, file)
    if (age === 'empty' && lock.mirrorMade) throw gone(file)
    verified = age !== 'current' || isQuicklyVerified(file)
    if (age === 'empty') raw.pragma('auto_vacuum = INCREMENTAL')
    else if (verified) insistOnHealth(raw, file, age === 'current' ? countDifferences(sqliteDialect) : [])
    raw.pragma('journal_mode = WAL')
    // Bytes; truncates a log that grew during a long read.
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
  const reader = openReader(file)
  return {
    connections: { writer: raw, reader, onError: (error) => guard.note(error) },
    guard,
    verified,
    [Symbol.dispose]() {
      // SQLite would apply the log of a lost file to the file that replaced it.
      reader.close()
      if (guard.moved) emptyLog(raw)
      raw.close()
      guard[Symbol.dispose]()
      lock[Symbol.dispose]()
    },
  }
}

function openReader(file: string): BetterSqlite3.Database {
  const reader = new BetterSqlite3(file, { readonly: true, fileMustExist: true })
  reader.pragma('temp_store = MEMORY')
  return reader
}

function emptyLog(raw: BetterSqlite3.Database): void {
  try {
    raw.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // The lost file cannot be written; the error that stops the engine reports it.
  }
}

function gone(file: string): FatalError {
  return new FatalError(`The mirror at ${file} is gone or empty although there was one; ${toBegin(file, 'gone')}`)
}

/** `synchronous` drops to NORMAL after the switch to WAL and a first write; a power cut would then lose commits. */
function insistOnFullSync(raw: BetterSqlite3.Database, file: string): void {
  raw.transaction(() => raw.pragma(`user_version = ${raw.pragma('user_version', { simple: true })}`)).immediate()
  raw.pragma('synchronous = FULL')
  if (raw.pragma('synchronous', { simple: true }) !== 2)
    throw new FatalError(`${file} cannot be kept with synchronous=FULL`)
}

export function openBesideEngine(path: string): OpenedDatabase {
  const file = real(path)
  try {
    insistOnMirror(file, path)
    const raw = new Connection(file, { fileMustExist: true })
    try {
      raw.pragma('temp_store = MEMORY')
      raw.pragma('synchronous = FULL')
      insistOnLayout(raw, file)
    } catch (error) {
      raw.close()
      throw error
    }
    const guard = fileGuard(file)
    const reader = openReader(file)
    return {
      connections: { writer: raw, reader, onError: (error) => guard.note(error) },
      guard,
      verified: false,
      [Symbol.dispose]() {
        reader.close()
        raw.close()
        guard[Symbol.dispose]()
      },
    }
  } catch (error) {
    throw describe(error, file)
  }
}

/** @throws FatalError when a migration is due, which only an engine runs. */
export function insistOnLayout(raw: BetterSqlite3.Database, file: string): void {
  if (schemaAge(raw, file) === 'current') return
  throw new FatalError(
    `${file} has an older layout; run "tenantwatch sync" once with this version to bring it up to date`,
  )
}

/** Opens a read-only snapshot of any layout, to copy it beside a running engine. */
export function openSnapshot(path: string, named?: string): BetterSqlite3.Database {
  const file = real(path)
  try {
    insistOnMirror(file, path, named)
    const raw = new BetterSqlite3(file, { readonly: true, fileMustExist: true })
    try {
      raw.exec('begin')
      if (schemaAge(raw, file) === 'empty') throw noMirror(file, path, named)
      return raw
    } catch (error) {
      raw.close()
      throw error
    }
  } catch (error) {
    throw describe(error, file, named)
  }
}

/** @throws FatalError when the path cannot be followed. */
export function real(path: string): string {
  try {
    return realFile(path)
  } catch (error) {
    throw describe(error, path)
  }
}

function insistOnMirror(file: string, path: string, named?: string): void {
  if (!existsSync(file) || statSync(file).size === 0) throw noMirror(file, path, named)
  insistOnOneName(file)
}

/** The error for a missing mirror; an engine only has the lock beside a file that it opened. */
function noMirror(file: string, path: string, named = 'store.path'): FatalError {
  const { held, mirrorMade } = lockStateOf(file)
  if (mirrorMade === true || (held === true && !existsSync(file))) return gone(file)
  if (isAbsolute(path)) return new FatalError(`There is no mirror at ${file} yet; run "tenantwatch sync" first`)
  const where = `${named} is relative to the working directory, so start this command where the daemon runs`
  return new FatalError(`There is no mirror at ${file}: ${where}, or run "tenantwatch sync" first`)
}

/**
 * Converts an error of SQLite or the system to a FatalError that names the file; returns others unchanged. @param named
 * setting or option of the path.
 */
export function describe(error: unknown, file: string, named = 'store.path'): unknown {
  if (error instanceof FatalError || !(error instanceof Error)) return error
  const code = rootCodeOf(error)
  const wrong = wrongFile(code, file, named)
  const sentence = wrong ?? `The database ${file} cannot be opened (${code}); ${adviceFor(error, code, file)}`
  return new FatalError(sentence, { cause: error })
}

/** The message for a path that never was a mirror; null for others. */
function wrongFile(code: string, file: string, named: string): string | null {
  try {
    if (statSync(file).isDirectory()) return `${file} is a folder; set ${named} to a file in it`
    // A lock file that records a mirror proves that its header was overwritten.
    if (!code.startsWith('SQLITE_NOTADB') || applicationIdOf(file) !== null) return null
    return lockStateOf(file).mirrorMade === false
      ? `${file} is no SQLite database; correct ${named}, or restore a backup if it was the mirror`
      : null
  } catch {
    return null
  }
}

function mayNotRead(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return false
  } catch (error) {
    return codeOf(error) === 'EACCES'
  }
}

function adviceFor(error: Error, code: string, file: string): string {
  if (mayNotRead(file)) return 'this user may not read it: run this command as the user of the daemon'
  if (damageOf(error) !== null) return `it is damaged: ${toBegin(file)}`
  if (code.startsWith('SQLITE_BUSY')) return 'another program keeps it locked for writing; close that program'
  return `check that the file and its folder ${dirname(file)} exist, are writable for this user and have room`
}

/** Code of the error, or of its first cause that has one. */
export function rootCodeOf(error: Error): string {
  return codeOf(error) || (error.cause instanceof Error ? rootCodeOf(error.cause) : error.name)
}
