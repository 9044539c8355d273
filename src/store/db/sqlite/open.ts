import { chmodSync, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { FatalError } from '../../../model/errors.ts'
import { makeFolder } from '../../../model/process/files.ts'
import { assertFile, realFile, sizeOf, suffixes } from './database-file.ts'
import { lockStateOf, takeEngineLock } from './engine-lock.ts'
import { assertCurrentLayout, createViews, migrateFile, schemaAge } from './layout.ts'
import { damaged, lost, openError } from './store-error.ts'
import { damageIn, isQuicklyVerified } from './verify-file.ts'

/** Longest wait for another program's lock, in milliseconds. It blocks this process, so an engine at work waits less. */
const waitMs = 5000
const engineWaitMs = 250

export interface OpenedFile extends Disposable {
  readonly file: string
  readonly writer: BetterSqlite3.Database
  /** Read-only: sees the last commit while `writer` has a transaction open. */
  readonly reader: BetterSqlite3.Database
  /** False for a file that is too large to verify when it is opened, and that no running engine verifies. */
  readonly isVerified: boolean
}

/** @throws FatalError when the database cannot be opened, created or migrated; nothing is changed then. */
export function openForEngine(path: string): OpenedFile {
  return opening(path, openLocked)
}

function openLocked(file: string, stack: DisposableStack): Omit<OpenedFile, keyof Disposable> {
  makeFolder(dirname(file), 0o700)
  assertFile(file)
  const lock = stack.use(takeEngineLock(file))
  // Before SQLite opens an empty file, because that deletes the write-ahead log of the lost one.
  if (lock.mirrorMade && sizeOf(file) === 0) throw lost(file)
  const writer = connect(file, stack)
  const age = schemaAge(writer, file)
  if (age === 'empty' && lock.mirrorMade) throw lost(file)
  const isVerified = isQuicklyVerified(file)
  const damage = isVerified ? damageIn(writer) : null
  if (damage !== null) throw damaged(file, damage)
  writer.pragma('journal_mode = WAL')
  // Bytes; truncates a log that grew during a long read.
  writer.pragma('journal_size_limit = 16777216')
  if (age !== 'current') migrateFile(writer)
  createViews(writer)
  lock.recordMirrorMade()
  for (const suffix of suffixes) {
    if (existsSync(file + suffix)) chmodSync(file + suffix, 0o600)
  }
  writer.pragma(`busy_timeout = ${engineWaitMs}`)
  stack.defer(() => emptyLog(writer))
  return { file, writer, reader: connect(file, stack, { readonly: true }), isVerified }
}

/** SQLite leaves the log of a lost file, and would apply it to the backup that replaces that. */
function emptyLog(raw: BetterSqlite3.Database): void {
  try {
    raw.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // The file cannot be written; the error that stops the engine reports it.
  }
}

/** @throws FatalError when there is no mirror of the current layout. */
export function openBesideEngine(path: string): OpenedFile {
  return opening(path, (file, stack) => {
    assertMirror(file)
    const writer = connect(file, stack, { fileMustExist: true })
    assertCurrentLayout(schemaAge(writer, file), file)
    const isVerified = lockStateOf(file).held === true
    return { file, writer, reader: connect(file, stack, { readonly: true }), isVerified }
  })
}

/** Opens one instant of a mirror of any layout for reading. @throws FatalError when there is none. */
export function openSnapshot(path: string) {
  return opening(path, (file, stack) => {
    assertMirror(file)
    const raw = connect(file, stack, { readonly: true })
    raw.exec('begin')
    if (schemaAge(raw, file) === 'empty') throw noMirror(file)
    return { file, raw }
  })
}

/** Opens parts that `stack` closes in reverse order, at once after an error. */
function opening<T extends object>(path: string, open: (file: string, stack: DisposableStack) => T): T & Disposable {
  let file = path
  using stack = new DisposableStack()
  try {
    file = realFile(path)
    const parts = open(file, stack)
    const closing = stack.move()
    return Object.assign(parts, { [Symbol.dispose]: () => closing.dispose() })
  } catch (error) {
    throw openError(error, file)
  }
}

function connect(file: string, stack: DisposableStack, options: BetterSqlite3.Options = {}): BetterSqlite3.Database {
  const raw = stack.adopt(new BetterSqlite3(file, { timeout: waitMs, ...options }), (one) => void one.close())
  raw.pragma('temp_store = MEMORY')
  // Erased data must be gone from the file and its copies, too.
  raw.pragma('secure_delete = ON')
  // Before the first write, so that migrations are on disk, too, and a switch to WAL does not lower it.
  raw.pragma('synchronous = FULL')
  return raw
}

function assertMirror(file: string): void {
  assertFile(file)
  if (sizeOf(file) === 0) throw noMirror(file)
}

function noMirror(file: string): FatalError {
  if (lockStateOf(file).mirrorMade === true) return lost(file)
  return new FatalError(
    `There is no mirror at ${file} yet (store.path, from the working directory); run "tenantwatch sync" first`,
  )
}
