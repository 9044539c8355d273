import { z } from 'zod'
import type { CheckContext } from '../../evaluate/check.ts'
import type { ConditionOn } from '../../mirror/records/query.ts'

/** Upload statuses that mean something to a check; the specification shows neither all of them nor what null means. */
export const statuses = (...byDefault: readonly string[]) =>
  z
    .array(z.string().min(1).max(200).nullable())
    .min(1)
    .max(50)
    .default([...byDefault])

/** Upload statuses of a document that is in use; `statuses` of document-required-present. */
export const doneStatuses = statuses('Completed')

/** What a tenant's configuration calls done, in alphabetical order. */
export function doneStatusesOf(optionsOf: CheckContext['optionsOf']): readonly (string | null)[] {
  return doneStatuses.parse(optionsOf('document-required-present')['statuses']).toSorted()
}

/** True when the mirror's own time, which knows no configuration, tells of these statuses. */
export function isDoneByMirror(done: readonly (string | null)[]): boolean {
  return done.every((status) => status === 'Completed')
}

/** Alternatives of conditions that documents in one of these statuses meet; an index on the status answers each. */
export function inStatus(wanted: readonly (string | null)[]): readonly (readonly ConditionOn<'documents'>[])[] {
  return [...new Set(wanted)].map((is) => [{ field: 'uploadStatus', is }])
}

/** `Completed`, `Completed or null`. */
export function statusWords(wanted: readonly (string | null)[]): string {
  return [...new Set(wanted)].map(String).join(' or ')
}
