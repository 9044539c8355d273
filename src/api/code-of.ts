import { UnfitFile } from '../model/process/regular-file.ts'

/**
 * The code of a thrown system or library error (`ECONNREFUSED`), else its name. Only this goes into messages: the texts
 * and properties of such errors can carry header values, URLs with credentials or bytes of the answer.
 */
export function codeOf(thrown: unknown): string {
  if (thrown instanceof UnfitFile) return thrown.message
  if (typeof thrown !== 'object' || thrown === null) return 'unknown error'
  if ('code' in thrown && typeof thrown.code === 'string' && /^[\w-]{1,64}$/.test(thrown.code)) return thrown.code
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return codeOf(thrown.errors[0])
  return thrown instanceof Error && /^\w{1,64}$/.test(thrown.name) ? thrown.name : 'unknown error'
}
