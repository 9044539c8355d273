import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isOfAll } from '../../../model/process/files.ts'
import { mayExist, realFile, storeSize, suffixes } from './database-file.ts'
import { lockStateOf } from './engine-lock.ts'
import { codeOf } from './store-error.ts'

export type StoreFacts = Readonly<ReturnType<typeof storeFacts>>

/** What `doctor` says about a file without opening the database: opens only the lock, briefly. */
export function storeFacts(storePath: string) {
  const path = attempt(() => realFile(storePath)) ?? resolve(storePath)
  const exists = mayExist(path)
  return {
    ...(attempt(() => storeSize(path)) ?? { bytes: 0, walBytes: 0 }),
    path,
    exists,
    freeBytes: attempt(() => {
      const { bavail, bsize } = statfsSync(nearestFolder(path))
      return bavail * bsize
    }),
    lock: lockStateOf(path),
    /** Why this user cannot use the files, or create missing ones; null = it can. */
    obstacle: obstacleTo(path),
    /** True if users other than the owner and its group may read or write it. */
    isOfAll: isOfAll(path),
  }
}

function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** Log and lock are written beside the file, so the folder counts, too. */
function obstacleTo(path: string): string | null {
  for (const one of [...suffixes.map((suffix) => path + suffix).filter(existsSync), nearestFolder(path)]) {
    try {
      accessSync(one, constants.R_OK | constants.W_OK)
    } catch (error) {
      return `this user may not read and write ${one} (${codeOf(error)})`
    }
  }
  return null
}

function nearestFolder(path: string): string {
  const folder = dirname(path)
  return existsSync(folder) || folder === path ? folder : nearestFolder(folder)
}
