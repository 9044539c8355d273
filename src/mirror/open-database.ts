import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { FatalError } from '../model/errors.ts'
import type { Database } from './database.ts'
import { type EngineLock, takeEngineLock } from './engine-lock.ts'
import { damaged, damageOf, type FileGuard, fileGuard, toBegin } from './file-guard.ts'
import { bringUpToDate, schemaAge } from './migrate.ts'

export interface OpenedDatabase extends Disposable {
  readonly database: Database
  readonly guard: FileGuard
}

/**
 * Opens the database for an engine: alone (the lock), made and migrated when needed, every commit on disk before it
 * counts.
 *
 * @throws FatalError in one sentence when it cannot be had; nothing is changed then.
 */
export function openForEngine(path: string): OpenedDatabase {
  const file = resolve(path)
  const umask = process.umask(0o077)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const lock = takeEngineLock(file)
    try {
      return openWritable(file, lock)
    } catch (error) {
      lock[Symbol.dispose]()
      throw error
    }
  } catch (error) {
    throw describe(error, file)
  } finally {
    process.umask(umask)
  }
}

function openWritable(file: string, lock: EngineLock): OpenedDatabase {
  // Before SQLite sees it: an empty file makes it throw away the write-ahead log that may be left of the lost one.
  if (lock.mirrorMade && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) throw gone(file)
  const raw = new BetterSqlite3(file)
  try {
    raw.pragma('temp_store = MEMORY')
    // Said before the first write: the migrations must be on disk like every commit after them.
    raw.pragma('synchronous = FULL')
    const isNew = schemaAge(raw, file) === 'empty'
    if (isNew && lock.mirrorMade) throw gone(file)
    if (isNew) raw.pragma('auto_vacuum = INCREMENTAL')
    else insistOnHealth(raw, file, 'integrity_check')
    raw.pragma('journal_mode = WAL')
    if (schemaAge(raw, file) !== 'current') bringUpToDate(raw)
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
    database: { raw, orm: drizzle(raw) },
    guard,
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

/**
 * Reads the structure of the whole file: about 2 ms a megabyte, 10 with what the indexes hold. An index that lost a row
 * would let a finding look fixed.
 *
 * @throws FatalError when it is damaged.
 */
export function insistOnHealth(
  raw: BetterSqlite3.Database,
  file: string,
  how: 'quick_check' | 'integrity_check',
): void {
  const found = raw.pragma(`${how}(1)`, { simple: true })
  if (found !== 'ok') throw damaged(file, String(found).split('\n').at(-1) ?? how)
}

/** `synchronous` drops to NORMAL by itself after the switch to WAL and a first write; then a power cut loses commits. */
function insistOnFullSync(raw: BetterSqlite3.Database, file: string): void {
  raw.transaction(() => raw.pragma(`user_version = ${raw.pragma('user_version', { simple: true })}`))()
  raw.pragma('synchronous = FULL')
  if (raw.pragma('synchronous', { simple: true }) !== 2)
    throw new FatalError(`${file} cannot be kept with synchronous=FULL`)
}

/** Opens the database beside a running engine, for commands that read and for `accept`. */
export function openBesideEngine(path: string): OpenedDatabase {
  const file = resolve(path)
  try {
    if (!existsSync(file) || statSync(file).size === 0) {
      throw new FatalError(`There is no mirror at ${file} yet; run "tenantwatch sync" first`)
    }
    const raw = new BetterSqlite3(file, { fileMustExist: true })
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
    return { database: { raw, orm: drizzle(raw) }, guard: fileGuard(file), [Symbol.dispose]: () => void raw.close() }
  } catch (error) {
    throw describe(error, file)
  }
}

function describe(error: unknown, file: string): unknown {
  if (error instanceof FatalError || !(error instanceof Error)) return error
  const code = codeOf(error)
  const advice =
    damageOf(error) === null
      ? `check that the file and its folder ${dirname(file)} exist, are writable for this user and have room`
      : `it is damaged: ${toBegin(file)}`
  return new FatalError(`The database ${file} cannot be opened (${code}); ${advice}`, { cause: error })
}

/** The code of the error, or of what it was made of. */
function codeOf(error: Error): string {
  if ('code' in error) return String(error.code)
  return error.cause instanceof Error ? codeOf(error.cause) : error.name
}
