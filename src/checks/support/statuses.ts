import * as z from 'zod'
import type { RuleContext } from '../../evaluate/check.ts'

/** A configured list of upload statuses. The specification lists neither all statuses nor the meaning of null. */
export const statuses = (...byDefault: readonly string[]) =>
  z
    .array(z.string().min(1).max(200).nullable())
    .min(1)
    .max(50)
    .default([...byDefault])

/** Statuses of a document that is being processed: `statuses` of document-processing-finished. */
export const busyStatuses = statuses('Processing')

/** Completed statuses: `statuses` of document-required-present. */
export const doneStatuses = statuses('Completed')

export function doneStatusesOf(optionsOf: RuleContext['optionsOf']): readonly (string | null)[] {
  return doneStatuses.parse(optionsOf('document-required-present')['statuses']).toSorted()
}

/** True when these are the statuses that `statusSince` of the mirror is built for. */
export function isDoneByMirror(done: readonly (string | null)[]): boolean {
  return done.every((status) => status === 'Completed')
}

/** `Completed`, `Completed or null`. */
export function statusWords(wanted: readonly (string | null)[]): string {
  return [...new Set(wanted)].map(String).join(' or ')
}
