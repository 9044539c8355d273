import { UnfitFile } from '../model/process/regular-file.ts'

/** The code of an error, else its name. Messages contain nothing more, because its text may carry header values. */
export function codeOf(thrown: unknown): string {
  if (thrown instanceof UnfitFile) return thrown.message
  if (typeof thrown !== 'object' || thrown === null) return 'unknown error'
  if ('code' in thrown && typeof thrown.code === 'string' && /^[\w-]{1,64}$/.test(thrown.code)) return thrown.code
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return codeOf(thrown.errors[0])
  return thrown instanceof Error && /^\w{1,64}$/.test(thrown.name) ? thrown.name : 'unknown error'
}
