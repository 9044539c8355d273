import { SyncError } from '../../../model/errors.ts'

/** Converts an error of SQLite to reason `store`. One of a statement that cannot be compiled is a bug and stays. */
export function storeError(error: unknown): unknown {
  const code = codeOf(error)
  if (!(error instanceof Error) || error.name !== 'SqliteError' || code === 'SQLITE_ERROR') return error
  const hint = hints.find(([prefix]) => code.startsWith(prefix))?.[1]
  return new SyncError('store', `The mirror could not be written (${code})`, {
    cause: error,
    ...(hint !== undefined && { hint }),
  })
}

const hints: readonly (readonly [prefix: string, hint: string])[] = [
  ['SQLITE_FULL', 'Free space on the volume of store.path; nothing was lost'],
  ['SQLITE_BUSY', 'Another program has locked the database; close it'],
  ['SQLITE_READONLY', 'Make store.path and its folder writable for this user'],
  ['SQLITE_CORRUPT', damaged()],
  ['SQLITE_NOTADB', damaged()],
]

function damaged(): string {
  return 'The database file is damaged; restore a backup, or move it and its -lock file away to begin again'
}

/** Code of SQLite or the system; empty for other errors. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
