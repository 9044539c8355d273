import { dirname } from 'node:path'
import { FatalError, SyncError } from '../../../model/errors.ts'

/** Code of SQLite or the system, of the error or the first cause that has one; empty for other errors. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return 'code' in error ? String(error.code) : codeOf(error.cause)
}

/** True for the code of damage, which no later try will cure. */
export function isDamage(code: string): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(code)
}

/** Converts an error of SQLite in a statement to reason `store`; returns others unchanged. */
export function storeError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'SqliteError') return error
  const code = codeOf(error)
  const hint = hints.find(([pattern]) => pattern.test(code))?.[1]
  return new SyncError('store', `The mirror could not be written (${code})`, {
    cause: error,
    ...(hint !== undefined && { hint }),
  })
}

/** Converts an error of SQLite or the system, while `file` is opened, to a FatalError; returns others unchanged. */
export function openError(error: unknown, file: string): unknown {
  const code = codeOf(error)
  if (error instanceof FatalError || code === '') return error
  if (isDamage(code)) return damaged(file, code)
  const advice = /BUSY/.test(code)
    ? 'another program keeps it locked for writing; close that program'
    : `check that the file and its folder ${dirname(file)} exist, are readable and writable for this user and have room`
  return new FatalError(`The database ${file} cannot be opened (${code}); ${advice}`, { cause: error })
}

/** Nothing is repaired or overwritten; the operator decides. */
export function damaged(file: string, how: string): FatalError {
  return new FatalError(`The database ${file} is damaged (${how}); ${restoreAdvice(file)}`)
}

export function lost(file: string): FatalError {
  return new FatalError(`The mirror at ${file} is gone or empty although there was one; ${restoreAdvice(file)}`)
}

export function restoreAdvice(file: string): string {
  return `restore a backup (without the old -wal file beside it), or move ${file}-lock and what is left of the database away to begin again without its history`
}

const hints: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/FULL/, 'Free space on the volume of store.path; nothing was lost'],
  [/BUSY/, 'Another program has locked the database; close it'],
  [/READONLY/, 'Make store.path and its folder writable for this user'],
  [
    /CORRUPT|NOTADB/,
    'The database file is damaged; restore a backup, or move it and its -lock file away to begin again',
  ],
]
