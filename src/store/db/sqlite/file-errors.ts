import { dirname } from 'node:path'
import { FatalError } from '../../../model/errors.ts'
import { lockStateOf } from './engine-lock.ts'
import { codeOf } from './store-error.ts'

export function restoreAdvice(file: string): string {
  return `restore a backup (without the old -wal file beside it), or move ${file}-lock and what is left of the database away to begin again without its history`
}

export function lost(file: string): FatalError {
  return new FatalError(`The mirror at ${file} is gone or empty although there was one; ${restoreAdvice(file)}`)
}

/** Nothing is repaired or overwritten; the operator decides. */
export function damaged(file: string, how: string): FatalError {
  return new FatalError(`The database ${file} is damaged (${how}); ${restoreAdvice(file)}`)
}

/** Code of the damage that an error or one of its causes reports; null = none. */
export function damageOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const code = codeOf(error)
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) return code
  return damageOf(error.cause)
}

/**
 * Converts an error of SQLite or the system to a FatalError that names the file; returns others unchanged.
 *
 * @param named setting or option of the path
 */
export function openError(error: unknown, file: string, named = 'store.path'): unknown {
  if (error instanceof FatalError || !(error instanceof Error)) return error
  const cause = error
  const code = rootCodeOf(error)
  if (code === 'SQLITE_NOTADB' && lockStateOf(file).mirrorMade === false) {
    const advice = `correct ${named}, or restore a backup if it was the mirror`
    return new FatalError(`${file} is no SQLite database; ${advice}`, { cause })
  }
  const damage = damageOf(error)
  if (damage !== null) return damaged(file, damage)
  return new FatalError(`The database ${file} cannot be opened (${code}); ${adviceFor(code, file)}`, { cause })
}

function adviceFor(code: string, file: string): string {
  if (code.startsWith('SQLITE_BUSY')) return 'another program keeps it locked for writing; close that program'
  return `check that the file and its folder ${dirname(file)} exist, are readable and writable for this user and have room`
}

/** Code of the error, or of its first cause that has one. */
export function rootCodeOf(error: Error): string {
  return codeOf(error) || (error.cause instanceof Error ? rootCodeOf(error.cause) : error.name)
}
