import { chmodSync, existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { FatalError } from '../../../model/errors.ts'
import { makeFolder } from '../../../model/process/make-folder.ts'
import { assertFile, type EngineLock, lockStateOf, realFile, takeEngineLock } from './engine-lock.ts'
import { type FileCheck, fileCheck } from './file-check.ts'
import { lost, openError } from './file-errors.ts'
import { assertCurrentLayout, assertTables, migrateFile, schemaAge } from './layout.ts'
import { assertSound, isQuicklyVerified } from './verify-file.ts'
import { createViews } from './views.ts'

/** A write that waits for another program blocks this process, signals included. */
const busyTimeoutMs = 1000

export interface OpenedFile extends Disposable {
  readonly file: string
  readonly writer: BetterSqlite3.Database
  readonly reader: BetterSqlite3.Database
  readonly check: FileCheck
  /** False for a file that is too large to verify when it is opened; verify it before the first write. */
  readonly verified: boolean
}

/** @throws FatalError when the database cannot be opened, created or migrated; nothing is changed then. */
export function openForEngine(path: string): OpenedFile {
  const file = real(path)
  const umask = process.umask(0o077)
  try {
    makeFolder(dirname(file), 0o700)
    assertFile(file)
    using opening = new DisposableStack()
    return openLocked(opening, file, opening.use(takeEngineLock(file)))
  } catch (error) {
    throw openError(error, file)
  } finally {
    process.umask(umask)
  }
}

function openLocked(opening: DisposableStack, file: string, lock: EngineLock): OpenedFile {
  // Before SQLite opens an empty file, because that deletes the write-ahead log of the lost one.
  if (lock.mirrorMade && sizeOf(file) === 0) throw lost(file)
  const writer = connect(opening, file)
  // Erased data must be gone from the file and its copies, too.
  writer.pragma('secure_delete = ON')
  // Before the first write, so that migrations are on disk, too.
  writer.pragma('synchronous = FULL')
  const age = schemaAge(writer, file)
  if (age === 'empty' && lock.mirrorMade) throw lost(file)
  const verified = age !== 'current' || isQuicklyVerified(file)
  if (age === 'empty') writer.pragma('auto_vacuum = INCREMENTAL')
  else if (verified) assertSound(writer, file)
  writer.pragma('journal_mode = WAL')
  // Bytes; truncates a log that grew during a long read.
  writer.pragma('journal_size_limit = 16777216')
  if (age !== 'current') migrateFile(writer)
  assertTables(writer, file)
  createViews(writer)
  assertFullSync(writer, file)
  if (!lock.mirrorMade) lock.recordMirrorMade()
  for (const suffix of ['', '-wal', '-shm', '-lock']) {
    if (existsSync(file + suffix)) chmodSync(file + suffix, 0o600)
  }
  return opened(opening, { file, writer, verified })
}

/** `synchronous` drops to NORMAL after the switch to WAL and a first write; a power cut would then lose commits. */
function assertFullSync(raw: BetterSqlite3.Database, file: string): void {
  raw.transaction(() => raw.pragma(`user_version = ${raw.pragma('user_version', { simple: true })}`)).immediate()
  raw.pragma('synchronous = FULL')
  if (raw.pragma('synchronous', { simple: true }) !== 2)
    throw new FatalError(`${file} cannot be kept with synchronous=FULL`)
}

/** @throws FatalError when there is no mirror of the current layout. */
export function openBesideEngine(path: string): OpenedFile {
  const file = real(path)
  try {
    assertMirror(file, path)
    using opening = new DisposableStack()
    const writer = connect(opening, file, { fileMustExist: true })
    assertCurrentLayout(writer, file)
    writer.pragma('synchronous = FULL')
    return opened(opening, { file, writer, verified: false })
  } catch (error) {
    throw openError(error, file)
  }
}

function connect(opening: DisposableStack, file: string, options: BetterSqlite3.Options = {}): BetterSqlite3.Database {
  const raw = opening.adopt(new BetterSqlite3(file, { timeout: busyTimeoutMs, ...options }), (one) => void one.close())
  raw.pragma('temp_store = MEMORY')
  return raw
}

/** Takes over what `opening` must close. */
function opened(opening: DisposableStack, parts: Pick<OpenedFile, 'file' | 'writer' | 'verified'>): OpenedFile {
  const { file, writer } = parts
  const check = fileCheck(file)
  opening.defer(() => {
    // SQLite would apply the log of a lost file to the file that replaced it.
    if (check.isMoved) emptyLog(writer)
  })
  const reader = connect(opening, file, { readonly: true })
  const closing = opening.move()
  return { ...parts, reader, check, [Symbol.dispose]: () => closing.dispose() }
}

function emptyLog(raw: BetterSqlite3.Database): void {
  try {
    raw.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // The lost file cannot be written; the error that stops the engine reports it.
  }
}

/** Opens a read-only snapshot of any layout, to copy it beside a running engine. */
export function openSnapshot(path: string, named?: string): BetterSqlite3.Database {
  const file = real(path)
  try {
    assertMirror(file, path, named)
    using opening = new DisposableStack()
    const raw = connect(opening, file, { readonly: true })
    raw.exec('begin')
    if (schemaAge(raw, file) === 'empty') throw noMirror(file, path, named)
    opening.move()
    return raw
  } catch (error) {
    throw openError(error, file, named)
  }
}

/** @throws FatalError when the path cannot be followed. */
export function real(path: string): string {
  try {
    return realFile(path)
  } catch (error) {
    throw openError(error, path)
  }
}

function assertMirror(file: string, path: string, named?: string): void {
  assertFile(file)
  if (sizeOf(file) === 0) throw noMirror(file, path, named)
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** The error for a missing mirror; an engine only has the lock beside a file that it opened. */
function noMirror(file: string, path: string, named = 'store.path'): FatalError {
  const { held, mirrorMade } = lockStateOf(file)
  if (mirrorMade === true || (held === true && !existsSync(file))) return lost(file)
  if (isAbsolute(path)) return new FatalError(`There is no mirror at ${file} yet; run "tenantwatch sync" first`)
  const where = `${named} is relative to the working directory, so start this command where the daemon runs`
  return new FatalError(`There is no mirror at ${file}: ${where}, or run "tenantwatch sync" first`)
}
