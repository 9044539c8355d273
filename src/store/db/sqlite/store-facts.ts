import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type LockState, lockStateOf, realFile } from './engine-lock.ts'
import { openError } from './file-errors.ts'
import { type SchemaAge, schemaAge } from './layout.ts'
import { openSnapshot } from './open.ts'
import { codeOf } from './store-error.ts'

export interface StoreSize {
  readonly bytes: number
  readonly walBytes: number
}

export interface StoreFacts extends StoreSize {
  readonly path: string
  readonly exists: boolean
  readonly freeBytes: number | null
  readonly lock: LockState
  /** Why this user cannot write an existing file; null = writable or missing. */
  readonly unwritable: string | null
}

/** Opens only the lock, briefly. */
export function storeFacts(storePath: string): StoreFacts {
  const path = attempt(() => realFile(storePath)) ?? resolve(storePath)
  const size = attempt(() => storeSize(path))
  // An unreadable file may exist: the next open reports the reason.
  const exists = size === null || size.bytes > 0
  return {
    ...(size ?? { bytes: 0, walBytes: 0 }),
    path,
    exists,
    freeBytes: attempt(() => {
      const { bavail, bsize } = statfsSync(nearestFolder(path))
      return bavail * bsize
    }),
    lock: lockStateOf(path),
    unwritable: exists ? obstacleToWriting(path) : null,
  }
}

function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

export function storeSize(path: string): StoreSize {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const real = realFile(path)
  return { bytes: sizeOf(real), walBytes: sizeOf(`${real}-wal`) }
}

/** The write-ahead log needs the folder, too. */
function obstacleToWriting(path: string): string | null {
  try {
    accessSync(path, constants.W_OK)
  } catch (error) {
    return `this user may not write it (${codeOf(error)})`
  }
  return obstacleTo(path)
}

/**
 * Why a missing file cannot be created; null = it can. Tests it by creating a folder, because permissions are not
 * enough: a disk may be mounted read-only, and nothing can be created in /proc.
 */
export function obstacleTo(path: string): string | null {
  const folder = nearestFolder(path)
  try {
    rmdirSync(mkdtempSync(join(folder, '.tenantwatch-')))
    return null
  } catch (error) {
    return `nothing can be written in ${folder} (${codeOf(error)})`
  }
}

function nearestFolder(path: string): string {
  const folder = dirname(path)
  return existsSync(folder) || folder === path ? folder : nearestFolder(folder)
}

export interface LayoutFacts {
  readonly age: SchemaAge
  readonly sqliteVersion: string
  /** Start of the oldest and end of the latest stored run, in milliseconds since the epoch; null = none. */
  readonly runs: { readonly oldest: number; readonly latest: number; readonly count: number } | null
}

interface RunsRow {
  readonly oldest: number | null
  readonly latest: number | null
  readonly count: number
}

/** @throws FatalError when the database is unreadable, another program's or of a newer version. */
export function layoutFacts(storePath: string): LayoutFacts {
  const raw = openSnapshot(storePath)
  try {
    const text = 'select min(started_at) as oldest, max(ended_at) as latest, count(*) as count from runs'
    const { oldest, latest, count } = raw.prepare<[], RunsRow>(text).get() ?? { oldest: null, latest: null, count: 0 }
    return {
      age: schemaAge(raw, storePath),
      sqliteVersion: raw.prepare('select sqlite_version()').pluck().get() as string,
      runs: oldest === null || latest === null ? null : { oldest, latest, count },
    }
  } catch (error) {
    throw openError(error, storePath)
  } finally {
    raw.close()
  }
}
