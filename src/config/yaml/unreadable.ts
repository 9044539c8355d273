import { UnfitFile } from '../../model/process/regular-file.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
}

/** Why a file could not be read, in words. */
export function whyUnreadable(error: unknown): string {
  if (error instanceof UnfitFile) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
  return reasons[code] ?? `it cannot be read (${code})`
}
